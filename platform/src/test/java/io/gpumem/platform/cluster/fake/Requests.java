package io.gpumem.platform.cluster.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What the stand-in's tests send and expect. */
final class Requests {

  static final String PODS = "/api/v1/namespaces/team-a/pods";

  private Requests() {}

  static String pod(String name) {
    return """
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","annotations":{"example.com/own":"1"}},
     "spec":{"containers":[{"name":"main","resources":{"limits":{"example.com/gpu-mem":"8"}}}]}}
    """
        .formatted(name);
  }

  static void assertRefused(int code, String reason, String message, Http.Answer answer) {
    assertEquals(code, answer.code(), answer.body().toString());
    assertEquals("Failure", answer.body().path("status").asString());
    assertEquals(code, answer.body().path("code").asInt());
    assertEquals(reason, answer.reason());
    assertTrue(answer.message().contains(message), answer.message());
  }
}
