package io.gpumem.extender.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.cluster.fake.ObjectKey;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A pod that is being deleted runs on, and holds what it has until it is gone. */
class EndingPodsTest {

  @Test
  void countsAPodThatIsBeingDeletedUntilItIsGone() throws Exception {
    try (var live = new LiveExtender();
        var http = HttpClient.newHttpClient()) {
      live.node("n1", 16);
      live.boundPod("ending", 10, "n1", 0, "Running");
      LiveExtender.await(() -> live.used("n1", 0) == 10);
      delete(http, live, "ending");
      JsonNode next = live.pod("next", "10");
      LiveExtender.await(() -> live.explain("next").has("request"));
      assertTrue(isBeingDeleted(live));
      assertFalse(live.fits(next, "n1"));
      assertEquals(10, live.used("n1", 0));

      live.restart();
      assertTrue(isBeingDeleted(live));
      assertFalse(live.fits(next, "n1"));

      live.delete("ending");
      LiveExtender.await(() -> live.fits(next, "n1"));
      assertEquals(0, live.used("n1", 0));
    }
  }

  private static boolean isBeingDeleted(LiveExtender live) {
    return live.api
        .objects()
        .find(ObjectKey.pod(LiveExtender.TEAM, "ending"))
        .orElseThrow()
        .path("metadata")
        .has("deletionTimestamp");
  }

  /** As kubectl does: the server marks the pod and leaves it to its kubelet. */
  private static void delete(HttpClient http, LiveExtender live, String name)
      throws IOException, InterruptedException {
    String path = "/api/v1/namespaces/" + LiveExtender.TEAM + "/pods/" + name;
    var response =
        http.send(
            HttpRequest.newBuilder(URI.create(live.api.url() + path)).DELETE().build(),
            HttpResponse.BodyHandlers.ofString());
    assertEquals(200, response.statusCode(), response.body());
  }
}
