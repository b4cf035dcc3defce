package io.gpumem.platform.cluster.fake;

import static io.gpumem.platform.cluster.fake.Requests.assertRefused;
import static io.gpumem.platform.cluster.fake.Requests.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The stand-in's answers, held against the texts and codes of the real server. */
final class StandInApiServerTest {

  private static final String PODS = Requests.PODS;

  private final StandInApiServer server = StandInApiServer.start();
  private final Http http = new Http(server.url());

  @AfterEach
  void close() {
    server.close();
  }

  private static String binding(String uid, String node) {
    return """
    {"apiVersion":"v1","kind":"Binding",
     "metadata":{"name":"a","uid":"%s","annotations":{"example.com/plan":"x"}},
     "target":{"apiVersion":"v1","kind":"Node","name":"%s"}}
    """
        .formatted(uid, node);
  }

  private String createPod(String name) throws Exception {
    Http.Answer made = http.post(PODS, pod(name));
    assertEquals(201, made.code(), made.body().toString());
    return made.body().path("metadata").path("uid").asString();
  }

  @Test
  void fillsInANewPod() throws Exception {
    Http.Answer made = http.post(PODS, pod("a"));
    JsonNode metadata = made.body().path("metadata");
    assertEquals("team-a", metadata.path("namespace").asString());
    assertTrue(metadata.path("uid").asString().matches("[0-9a-f-]{36}"));
    assertFalse(metadata.path("creationTimestamp").asString().isEmpty());
    assertEquals("Pending", made.body().path("status").path("phase").asString());
    assertEquals(
        "8",
        made.body().at("/spec/containers/0/resources/requests/example.com~1gpu-mem").asString());
    assertEquals(made.body(), http.get(PODS + "/a").body());
  }

  @Test
  void generatesNames() throws Exception {
    String nameless = pod("a").replace("\"name\":\"a\"", "\"generateName\":\"train-\"");
    String first = http.post(PODS, nameless).body().at("/metadata/name").asString();
    String second = http.post(PODS, nameless).body().at("/metadata/name").asString();
    assertTrue(first.matches("train-[a-z0-9]{5}"), first);
    assertNotEquals(first, second);
  }

  @Test
  void refusesPodsThatTheRealServerRefuses() throws Exception {
    createPod("a");
    assertRefused(409, "AlreadyExists", "pods \"a\" already exists", http.post(PODS, pod("a")));
    assertRefused(422, "Invalid", "RFC 1123", http.post(PODS, pod("Not_A_Name")));
    assertRefused(
        422,
        "Invalid",
        "spec.containers: Required value",
        http.post(PODS, "{\"metadata\":{\"name\":\"b\"},\"spec\":{}}"));
    assertRefused(
        422,
        "Invalid",
        "must be an integer",
        http.post(PODS, pod("b").replace("\"8\"", "\"1500m\"")));
    assertRefused(
        422,
        "Invalid",
        "Limit must be set for non overcommitable resources",
        http.post(PODS, pod("b").replace("\"limits\"", "\"requests\"")));
    assertRefused(
        422,
        "Invalid",
        "must be equal to example.com/gpu-mem limit of 8",
        http.post(
            PODS,
            pod("b")
                .replace("{\"limits\"", "{\"requests\":{\"example.com/gpu-mem\":4},\"limits\"")));
    assertRefused(400, "BadRequest", "no JSON", http.post(PODS, "{"));
    assertRefused(
        400,
        "BadRequest",
        "does not match the namespace",
        http.post(
            "/api/v1/namespaces/other/pods",
            pod("b").replace("\"name\":\"b\"", "\"name\":\"b\",\"namespace\":\"team-a\"")));
    assertEquals(201, http.post(PODS, pod("b").replace("\"8\"", "\"2Ki\"")).code());
  }

  @Test
  void bindsInOneWrite() throws Exception {
    String uid = createPod("a");
    String before = http.get(PODS + "/a").version();
    Http.Answer bound = http.post(PODS + "/a/binding", binding(uid, "n1"));
    assertEquals(201, bound.code());
    assertEquals("Success", bound.body().path("status").asString());
    try (Http.Watch watch =
        http.watch(PODS + "?watch=1&timeoutSeconds=2&resourceVersion=" + before)) {
      JsonNode pod = watch.next().path("object");
      assertEquals("n1", pod.at("/spec/nodeName").asString());
      assertEquals("1", pod.at("/metadata/annotations/example.com~1own").asString());
      assertEquals("x", pod.at("/metadata/annotations/example.com~1plan").asString());
      assertEquals("PodScheduled", pod.at("/status/conditions/0/type").asString());
      assertTrue(watch.ended(), "expected a single write");
    }
  }

  @Test
  void refusesBindingsInTheRealServersWords() throws Exception {
    String uid = createPod("a");
    assertRefused(
        409,
        "Conflict",
        "Precondition failed: UID in precondition: other, UID in object meta: " + uid,
        http.post(PODS + "/a/binding", binding("other", "n1")));
    assertEquals(201, http.post(PODS + "/a/binding", binding(uid, "n1")).code());
    assertRefused(
        409,
        "Conflict",
        "Operation cannot be fulfilled on pods/binding \"a\": pod a is already assigned to node"
            + " \"n1\"",
        http.post(PODS + "/a/binding", binding(uid, "n2")));
    assertRefused(
        404,
        "NotFound",
        "pods \"b\" not found",
        http.post(PODS + "/b/binding", binding(uid, "n1").replace("\"a\"", "\"b\"")));
    assertEquals(200, http.delete(PODS + "/a", "").code());
    assertRefused(
        409, "Conflict", "is being deleted", http.post(PODS + "/a/binding", binding(uid, "n1")));
  }

  @Test
  void deletesABoundPodInTwoSteps() throws Exception {
    String uid = createPod("a");
    http.post(PODS + "/a/binding", binding(uid, "n1"));
    String version = http.get(PODS + "/a").version();
    Http.Answer marked = http.delete(PODS + "/a", "");
    assertTrue(marked.body().path("metadata").has("deletionTimestamp"));
    assertEquals(30, marked.body().at("/metadata/deletionGracePeriodSeconds").asInt());
    assertRefused(
        409,
        "Conflict",
        "Precondition failed",
        http.delete(
            PODS + "/a", "{\"gracePeriodSeconds\":0,\"preconditions\":{\"uid\":\"other\"}}"));
    assertEquals(200, http.delete(PODS + "/a", "{\"gracePeriodSeconds\":0}").code());
    assertRefused(404, "NotFound", "pods \"a\" not found", http.get(PODS + "/a"));
    try (Http.Watch watch =
        http.watch(PODS + "?watch=1&timeoutSeconds=5&resourceVersion=" + version)) {
      assertEquals("MODIFIED a", watch.line());
      assertEquals("DELETED a", watch.line());
    }
  }

  @Test
  void deletesAPodThatIsNowhereAtOnce() throws Exception {
    createPod("a");
    assertEquals(200, http.delete(PODS + "/a", "").code());
    assertEquals(404, http.get(PODS + "/a").code());
  }

  @Test
  void patchesTheObjectAndItsStatusApart() throws Exception {
    http.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n1\"},\"status\":{\"capacity\":{}}}");
    String both =
        "{\"metadata\":{\"labels\":{\"a\":\"1\"}},\"spec\":{\"unschedulable\":true},"
            + "\"status\":{\"capacity\":{\"cpu\":\"4\"}}}";
    JsonNode main = http.patch("/api/v1/nodes/n1", both).body();
    assertTrue(main.at("/spec/unschedulable").asBoolean());
    assertTrue(main.at("/status/capacity/cpu").isMissingNode());
    JsonNode status = http.patch("/api/v1/nodes/n1/status", both.replace("true", "false")).body();
    assertTrue(status.at("/spec/unschedulable").asBoolean());
    assertEquals("4", status.at("/status/capacity/cpu").asString());
  }

  @Test
  void keepsTheSpecOfAPod() throws Exception {
    createPod("a");
    assertRefused(
        422,
        "Invalid",
        "pod updates may not change fields",
        http.patch(PODS + "/a", "{\"spec\":{\"nodeName\":\"n1\"}}"));
  }

  @Test
  void refusesAPatchOfAnOlderVersion() throws Exception {
    http.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n1\"}}");
    String version = http.get("/api/v1/nodes/n1").version();
    String patch =
        "{\"metadata\":{\"resourceVersion\":\"%s\",\"annotations\":{\"a\":\"1\"}}}"
            .formatted(version);
    assertEquals(200, http.patch("/api/v1/nodes/n1", patch).code());
    assertRefused(
        409,
        "Conflict",
        "the object has been modified; please apply your changes to the latest version",
        http.patch("/api/v1/nodes/n1", patch));
  }

  @Test
  void writesNothingWhenAPatchChangesNothing() throws Exception {
    http.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"a\":\"1\"}}}");
    String version = http.get("/api/v1/nodes/n1").version();
    assertEquals(
        version,
        http.patch("/api/v1/nodes/n1", "{\"metadata\":{\"labels\":{\"a\":\"1\"}}}").version());
  }

  @Test
  void limitsTheSumOfAnnotations() throws Exception {
    http.post("/api/v1/nodes", "{\"metadata\":{\"name\":\"n1\"}}");
    String fits = "x".repeat(262_144 - 1);
    assertEquals(200, annotate("a", fits).code());
    assertRefused(
        422, "Invalid", "Too long: may not be more than 262144 bytes", annotate("bb", ""));
  }

  private Http.Answer annotate(String key, String value) throws Exception {
    return http.patch(
        "/api/v1/nodes/n1",
        "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}".formatted(key, value));
  }

  @Test
  void recordsMisuses() throws Exception {
    createPod("a");
    assertEquals(404, http.get(PODS + "/absent").code());
    assertEquals(List.of(), server.misuses());
    assertEquals(404, http.get("/api/v1/secrets").code());
    assertEquals(405, http.send("PUT", PODS + "/a", "application/json", pod("a")).code());
    assertEquals(415, http.send("PATCH", PODS + "/a", "application/json-patch+json", "[]").code());
    assertEquals(
        List.of("/api/v1/secrets", PODS + "/a", PODS + "/a"),
        server.misuses().stream().map(RecordedRequest::path).toList());
  }

  @Test
  void keepsLeasesByOptimisticLocks() throws Exception {
    String leases = "/apis/coordination.k8s.io/v1/namespaces/team-a/leases";
    Http.Answer made =
        http.post(leases, "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"holderIdentity\":\"a\"}}");
    assertEquals(201, made.code());
    String held = made.body().toString();
    assertEquals(
        200,
        http.send("PUT", leases + "/l", "application/json", held.replace("\"a\"", "\"b\"")).code());
    assertRefused(
        409,
        "Conflict",
        "leases.coordination.k8s.io \"l\"",
        http.send("PUT", leases + "/l", "application/json", held));
  }

  @Test
  void refusesEverythingWhileTold() throws Exception {
    server.refusing(true);
    assertRefused(503, "ServiceUnavailable", "", http.get("/api/v1/pods"));
    server.refusing(false);
    assertEquals(200, http.get("/api/v1/pods").code());
  }

  @Test
  void breaksConnectionsWhileUnplugged() throws Exception {
    server.unplugged(true);
    assertThrows(IOException.class, () -> http.get("/api/v1/pods"));
    server.unplugged(false);
    assertEquals(200, http.get("/api/v1/pods").code());
  }
}
