package io.gpumem.extender.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Shapes of the filter request. */
class ShareC15FilterShapesTest {

  private static List<String> failed(JsonNode answer) {
    Set<String> failed = new HashSet<>();
    failed.addAll(answer.path("FailedNodes").propertyNames());
    failed.addAll(answer.path("FailedAndUnresolvableNodes").propertyNames());
    return failed.stream().sorted().toList();
  }

  private static JsonNode answer(LiveExtender live, String body) {
    var response = live.filterRaw(body);
    assertEquals(200, response.statusCode(), response.body());
    JsonNode answer = LiveExtender.JSON.readTree(response.body());
    assertEquals("", answer.path("Error").asString(), response.body());
    assertTrue(answer.path("NodeNames").isArray(), response.body());
    return answer;
  }

  private static List<String> names(JsonNode answer) {
    return LiveExtender.texts(answer.path("NodeNames"));
  }

  @Test
  void answersEveryShape() {
    try (var live = new LiveExtender()) {
      live.node("n1", 16);
      live.node("n2", 2);
      JsonNode p = live.pod("p", "4");
      JsonNode q = live.pod("q", "");
      LiveExtender.await(() -> live.explain("p").has("request"));
      long generation = live.generation();
      int requestsBefore = live.api.requests().size();
      byNames(live, p);
      byWholeNodes(live, p);
      forNoNode(live, p);
      forAPodThatAsksNothing(live, q);
      assertEquals(400, live.filterRaw("not json").statusCode());
      assertFalse(
          LiveExtender.JSON
              .readTree(live.filterRaw("not json").body())
              .path("error")
              .asString()
              .isEmpty());
      assertEquals(generation, live.generation(), "filter leaves no trace in the view");
      assertTrue(
          live.api.requests().stream()
              .skip(requestsBefore)
              .allMatch(request -> request.method().equals("GET")),
          "nor in the API server");
      assertEquals(0, live.used("n1", 0));
    }
  }

  private static void byNames(LiveExtender live, JsonNode p) {
    JsonNode one = answer(live, "{\"Pod\":%s,\"NodeNames\":[\"n1\",\"n2\"]}".formatted(p));
    assertEquals(List.of("n1"), names(one));
    assertEquals(List.of("n2"), failed(one));
    assertEquals(one, answer(live, "{\"pod\":%s,\"nodenames\":[\"n1\",\"n2\"]}".formatted(p)));
    for (int i = 0; i < 100; i++) {
      assertEquals(one, answer(live, "{\"Pod\":%s,\"NodeNames\":[\"n1\",\"n2\"]}".formatted(p)));
    }
    JsonNode ghost = answer(live, "{\"Pod\":%s,\"NodeNames\":[\"n1\",\"ghost\"]}".formatted(p));
    assertEquals(List.of("n1"), names(ghost));
    assertEquals(List.of("ghost"), failed(ghost));
    String later = "{\"Pod\":%s,\"NodeNames\":[\"n1\"],\"Later\":{\"x\":1}}";
    assertEquals(List.of("n1"), names(answer(live, later.formatted(p))));
  }

  private static void byWholeNodes(LiveExtender live, JsonNode p) {
    String items = "[{\"metadata\":{\"name\":\"n1\"}},{\"metadata\":{\"name\":\"n2\"}}]";
    JsonNode two = answer(live, "{\"Pod\":%s,\"Nodes\":{\"items\":%s}}".formatted(p, items));
    assertEquals(
        "{\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"n1\"}}]}",
        two.path("Nodes").toString());
    assertEquals(List.of("n2"), failed(two));
  }

  private static void forNoNode(LiveExtender live, JsonNode p) {
    for (String body : List.of("{\"Pod\":%s}", "{\"Pod\":%s,\"NodeNames\":[]}")) {
      JsonNode answer = answer(live, body.formatted(p));
      assertEquals(List.of(), names(answer));
      assertEquals(List.of(), failed(answer));
    }
  }

  private static void forAPodThatAsksNothing(LiveExtender live, JsonNode q) {
    JsonNode nine =
        answer(live, "{\"Pod\":%s,\"NodeNames\":[\"n1\",\"n2\",\"ghost\"]}".formatted(q));
    assertEquals(List.of("n1", "n2", "ghost"), names(nine));
  }
}
