package io.gpumem.extender.http;

import static io.gpumem.extender.http.LiveExtender.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.extender.Given;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ExtenderHttpTest {

  @Test
  void answers503WithAClosedConnectionUntilItHasSeenBothLists() {
    try (var live = new LiveExtender()) {
      live.api.refusing(true);
      live.restartWithoutWaiting();
      for (String verb : List.of("/filter", "/prioritize", "/bind")) {
        var response = live.send(live.url() + verb, "{}");
        assertEquals(503, response.statusCode());
        assertEquals(Optional.of("close"), response.headers().firstValue("Connection"));
      }
      for (String page : List.of("/readyz", "/api/v1/nodes", "/api/v1/explain?pod=a/b")) {
        assertEquals(503, live.get(page).statusCode(), page);
      }
      assertEquals(200, live.get("/healthz").statusCode());
      live.api.refusing(false);
      await(() -> live.send(live.url() + "/filter", "{}").statusCode() == 200);
    }
  }

  @Test
  void scoresEveryHostWithWholeNumbers() {
    try (var live = new LiveExtender()) {
      live.node("n1", 16);
      live.node("n2", 8);
      JsonNode pod = live.pod("p", "4");
      String body = "{\"Pod\":%s,\"NodeNames\":[\"n1\",\"n2\",\"ghost\"]}".formatted(pod);
      assertEquals(
          "[{\"Host\":\"n1\",\"Score\":9},{\"Host\":\"n2\",\"Score\":10},{\"Host\":\"ghost\",\"Score\":0}]",
          live.send(live.url() + "/prioritize", body).body());
    }
  }

  @Test
  void answersTheSecondBindOfAPodWhoseFirstAnswerWasLost() {
    try (var live = new LiveExtender(Duration.ofSeconds(2), Duration.ofMinutes(1))) {
      live.node("n1", 16);
      JsonNode pod = live.pod("p", "10");
      live.api.loseNextBindingAnswer();
      String unknown = "the API server did not answer, the binding may have been made";
      assertEquals(unknown, live.bind(pod, "n1").path("Error").asString());
      assertEquals(10, live.used("n1", 0));
      live.mustBind(pod, "n1");
      assertEquals(10, live.used("n1", 0));
      assertEquals(Map.of(Given.gpu("n1", 0), 10L), live.cards("p").get("main"));
    }
  }

  @Test
  void refusesASecondBindToAnotherNode() {
    try (var live = new LiveExtender()) {
      live.node("n1", 16);
      live.node("n2", 16);
      JsonNode pod = live.pod("p", "10");
      live.mustBind(pod, "n1");
      assertEquals(
          "the pod is bound to another node already",
          live.bind(pod, "n2").path("Error").asString());
      assertEquals(0, live.used("n2", 0));
      assertEquals(10, live.used("n1", 0));
    }
  }

  @Test
  void bindsAPodThatItsWatchHasNotShownYet() {
    try (var live = new LiveExtender()) {
      live.node("n1", 16);
      Runnable stop =
          live.api.delayWatch(
              watch -> true,
              object -> object.path("metadata").path("name").asString("").startsWith("late"),
              Duration.ofSeconds(20));
      JsonNode first = live.pod("late-1", "10");
      JsonNode second = live.pod("late-2", "10");
      live.mustBind(first, "n1");
      assertEquals(
          "the place was taken meanwhile", live.bind(second, "n1").path("Error").asString());
      assertFalse(live.fits(second, "n1"));
      stop.run();
    }
  }

  @Test
  void goesOnWithWhatItKnowsWhileTheApiServerIsAway() {
    try (var live = new LiveExtender(Duration.ofSeconds(2), Duration.ofSeconds(1))) {
      live.node("n1", 16);
      JsonNode pod = live.pod("p", "10");
      await(() -> live.explain("p").has("request"));
      live.api.unplugged(true);
      live.api.cutConnections();
      assertTrue(live.fits(pod, "n1"));
      assertFalse(live.bind(pod, "n1").path("Error").asString().isEmpty());
      await(() -> live.get("/readyz").statusCode() == 503);
      assertEquals(200, live.get("/healthz").statusCode());
      live.api.unplugged(false);
      await(() -> live.get("/readyz").statusCode() == 200);
      await(() -> live.bind(pod, "n1").path("Error").asString().isEmpty());
      assertEquals(10, live.used("n1", 0));
    }
  }

  @Test
  void equalsAFreshListAfterEventsWereLost() {
    try (var live = new LiveExtender()) {
      live.node("n1", 16);
      live.boundPod("a", 8, "n1", 0, "Running");
      await(() -> live.used("n1", 0) == 8);
      live.api.unplugged(true);
      live.api.cutConnections();
      live.delete("a");
      live.api.forgetHistory();
      live.api.unplugged(false);
      await(() -> live.used("n1", 0) == 0);
    }
  }

  @Test
  void explainsEveryNodeAndDeviceWithNumbersAndARemedy() {
    try (var live = new LiveExtender()) {
      live.node("n2", 8, 8);
      live.node("n1", 4);
      live.boundPod("a", 5, "n2", 0, "Running");
      live.boundPod("b", 5, "n2", 1, "Running");
      live.pod("p", "6");
      await(() -> live.explain("p").has("request") && live.used("n2", 1) == 5);
      JsonNode explained = live.explain("p");
      assertEquals(1, explained.path("v").asInt());
      assertEquals("team-a/p", explained.path("pod").asString());
      assertEquals("binpack", explained.path("policy").asString());
      assertEquals(6, explained.path("request").asLong());
      JsonNode small = explained.path("nodes").path(0);
      assertEquals("n1", small.path("name").asString(), "sorted by name");
      assertEquals("too_large", small.path("refusal").asString());
      JsonNode pieces = explained.path("nodes").path(1);
      assertEquals("fragmented", pieces.path("refusal").asString());
      assertEquals(3, pieces.path("largestFree").asLong());
      assertEquals(8, pieces.path("largestDevice").asLong());
      assertEquals(6, pieces.path("free").asLong());
      assertTrue(pieces.path("remedy").asString().contains("3 more must become free"));
      JsonNode device = pieces.path("devices").path(0);
      assertEquals("GPU-n2-0", device.path("id").asString());
      assertEquals(5, device.path("used").asLong());
      assertEquals(5, device.path("reserved").asLong());
      assertEquals(3, device.path("free").asLong());
      JsonNode bound = live.explain("a");
      assertEquals("n2", bound.path("node").asString());
      assertEquals(5, bound.at("/reservation/containers/main/GPU-n2-0").asLong());
      assertTrue(bound.path("nodes").path(1).path("fits").asBoolean(), "it does not count itself");
    }
  }

  @Test
  void listsNodesWithTheirHoldersInAStableOrder() {
    try (var live = new LiveExtender()) {
      live.node("n1", 16);
      live.boundPod("b", 5, "n1", 0, "Running");
      live.boundPod("a", 3, "n1", 0, "Running");
      JsonNode loner = live.pod("loner", "2");
      live.bindByOthers(loner, "n1", Optional.empty());
      await(() -> live.nodes().at("/nodes/0/holders").size() == 3);
      JsonNode node = live.nodes().path("nodes").path(0);
      assertEquals(
          List.of("team-a/a", "team-a/b", "team-a/loner"),
          node.path("holders").valueStream().map(each -> each.path("pod").asString()).toList());
      assertEquals(8, node.at("/devices/0/used").asLong());
      assertEquals(6, node.at("/devices/0/free").asLong());
      assertEquals(2, node.path("unplaced").asLong());
      assertEquals("unplaced_pod", node.at("/discrepancies/0/kind").asString());
    }
  }

  @Test
  void showsEveryMetricAtZeroFromTheStart() {
    try (var live = new LiveExtender()) {
      String metrics = live.get("/metrics").body();
      for (String line :
          List.of(
              "gpumem_extender_requests_total{outcome=\"not_ready\",verb=\"bind\"} 0.0",
              "gpumem_extender_requests_total{outcome=\"ok\",verb=\"filter\"} 0.0",
              "gpumem_extender_request_seconds_count{verb=\"prioritize\"} 0",
              "gpumem_extender_binds_total{outcome=\"unknown\"} 0.0",
              "gpumem_extender_refusals_total{reason=\"fragmented\"} 0.0",
              "gpumem_extender_discrepancies{kind=\"over_use\"} 0.0",
              "gpumem_extender_assumptions 0.0",
              "gpumem_extender_unreadable_total 0.0")) {
        assertTrue(metrics.contains(line), () -> line + "\n" + metrics);
      }
    }
  }
}
