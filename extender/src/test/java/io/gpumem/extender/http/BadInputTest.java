package io.gpumem.extender.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.wire.InventoryCodec;
import io.gpumem.extender.Given;
import io.gpumem.platform.cluster.fake.ObjectKey;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Each bad input gets an answer, the process lives, and nothing is oversold. */
class BadInputTest {

  private static final int MIB = 1024 * 1024;

  private static LiveExtender live;

  @BeforeAll
  static void start() {
    live = new LiveExtender();
    live.node("n1", 16);
  }

  @AfterAll
  static void stop() {
    live.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/filter", "/prioritize", "/bind"})
  void answers400ToWhatIsNoJson(String verb) {
    for (String body : List.of("", "not json", "{\"Pod\":", "[1,2", "\u0000")) {
      var response = live.send(live.url() + verb, body);
      assertEquals(400, response.statusCode(), body);
      assertTrue(LiveExtender.JSON.readTree(response.body()).has("error"), response.body());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/filter", "/prioritize", "/bind"})
  void answers400ToNestingWithoutEnd(String verb) {
    String deep = "{\"Pod\":" + "{\"a\":".repeat(200_000);
    assertEquals(400, live.send(live.url() + verb, deep).statusCode());
  }

  @Test
  void answersATenMebibyteBody() {
    JsonNode pod = live.pod("big", "1");
    String padding = "\"" + "z".repeat(10 * MIB) + "\"";
    String body = "{\"Pad\":%s,\"Pod\":%s,\"NodeNames\":[\"n1\"]}".formatted(padding, pod);
    var response = live.filterRaw(body);
    assertEquals(200, response.statusCode());
    JsonNode answer = LiveExtender.JSON.readTree(response.body());
    assertEquals(List.of("n1"), LiveExtender.texts(answer.path("NodeNames")));
  }

  @Test
  void answers413ToMoreThanItTakes() {
    byte[] body = new byte[17 * MIB];
    Arrays.fill(body, (byte) ' ');
    assertEquals(413, live.send(live.url() + "/filter", body).statusCode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "[]", "\"x\"", "{}", "{\"Pod\":null,\"NodeNames\":[\"n1\"]}"})
  void answersAnErrorTextToARequestWithoutAPod(String body) {
    var response = live.filterRaw(body);
    assertEquals(200, response.statusCode());
    JsonNode answer = LiveExtender.JSON.readTree(response.body());
    assertFalse(answer.path("Error").asString().isEmpty());
    assertTrue(answer.path("NodeNames").isNull());
    assertEquals("[]", live.send(live.url() + "/prioritize", "[]").body());
  }

  @Test
  void answersAnErrorTextToAnAmountThatIsNone() {
    ObjectNode pod = live.pod("odd", "1").deepCopy().asObject();
    ((ObjectNode) pod.at("/spec/containers/0/resources/limits")).put("example.com/gpu-mem", "1.5");
    assertTrue(live.filter(pod, "n1").path("Error").asString().contains("no whole number"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "[]", "{\"PodName\":\"a\",\"PodNamespace\":\"b\",\"PodUID\":\"\"}"})
  void answersAnErrorTextToABindOfNothing(String body) {
    var response = live.send(live.url() + "/bind", body);
    assertEquals(200, response.statusCode());
    assertFalse(LiveExtender.JSON.readTree(response.body()).path("Error").asString().isEmpty());
  }

  @Test
  void doesNotBindToANodeWithoutAPlugin() {
    JsonNode pod = live.pod("lost", "1");
    assertEquals(
        "no gpu-mem plugin has reported from this node",
        live.bind(pod, "ghost").path("Error").asString());
  }

  @Test
  void doesNotBelieveAForgedReservation() {
    live.node("forged", 16, 16);
    JsonNode pod = live.pod("liar", "10");
    String forged =
        """
        {"v":1,"uid":"%s","node":"forged","containers":{"main":{"GPU-forged-0":1}}}
        """
            .formatted(LiveExtender.uid(pod))
            .strip();
    live.bindByOthers(pod, "forged", Optional.of(forged));
    LiveExtender.await(() -> live.explain("liar").path("node").asString("").equals("forged"));
    // Nobody knows which device it will get, so its 10 units are off both.
    assertFalse(live.fits(live.pod("seven", "7"), "forged"));
    JsonNode six = live.pod("six", "6");
    assertTrue(live.fits(six, "forged"));
    assertTrue(
        live.get("/metrics")
            .body()
            .contains("gpumem_extender_discrepancies{kind=\"reservation_other_amounts\"} 1.0"));
  }

  @Test
  void ignoresAReservationThatAWaitingPodBrings() {
    live.node("early", 16);
    String json =
        """
        {"metadata":{"name":"eager","namespace":"team-a","annotations":{
           "example.com/gpu-mem.reservation":
             "{\\"v\\":1,\\"uid\\":\\"x\\",\\"node\\":\\"early\\",\\"containers\\":{}}"}},
         "spec":{"containers":[%s]}}
        """
            .formatted(LiveExtender.container("main", "10", false));
    JsonNode pod = live.pod(json);
    assertTrue(live.fits(pod, "early"));
    live.mustBind(pod, "early");
    assertEquals(10, live.used("early", 0));
    assertEquals(Map.of(Given.gpu("early", 0), 10L), live.cards("eager").get("main"));
  }

  @Test
  void refusesANodeWhoseAnnotationsWereForgedAndCountsTheOldOnesUntilThen() {
    live.node("broken", 16);
    JsonNode pod = live.pod("before", "10");
    live.mustBind(pod, "broken");
    for (String forged : List.of("{", "{\"v\":9}", "{\"v\":1,\"unit\":\"1Gi\",\"devices\":[7]}")) {
      annotate("broken", LiveExtender.KEYS.devices(), forged);
      JsonNode probe = live.pod("probe-" + forged.length(), "1");
      LiveExtender.await(() -> !live.fits(probe, "broken"));
    }
    annotate("broken", LiveExtender.KEYS.allocations(), "{\"v\":1,\"pods\":{\"x\":[]}}");
    annotate(
        "broken",
        LiveExtender.KEYS.devices(),
        InventoryCodec.encode(Given.node("broken", 16).inventory()));
    JsonNode seven = live.pod("seven-broken", "7");
    JsonNode six = live.pod("six-broken", "6");
    LiveExtender.await(() -> live.fits(six, "broken"));
    assertFalse(live.fits(seven, "broken"));
  }

  private static void annotate(String node, String key, String value) {
    ObjectNode patch = LiveExtender.JSON.createObjectNode();
    patch.putObject("metadata").putObject("annotations").put(key, value);
    live.api.objects().patch(ObjectKey.node(node), patch.toString());
  }

  @Test
  void answersTheWrongPathAndTheWrongMethod() {
    assertEquals(404, live.get("/nothing").statusCode());
    assertEquals(405, live.get("/filter").statusCode());
    assertEquals(400, live.get("/api/v1/explain").statusCode());
    assertEquals(400, live.get("/api/v1/explain?pod=noslash").statusCode());
    assertEquals(404, live.get("/api/v1/explain?pod=team-a/nobody").statusCode());
  }

  @Test
  void staysAliveAndReady() {
    live.send(live.url() + "/filter", "\ufffe".getBytes(UTF_8));
    assertEquals(200, live.get("/healthz").statusCode());
    assertEquals(200, live.get("/readyz").statusCode());
  }
}
