package io.gpumem.extender.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceUuid;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Odd quantities. */
class ShareC03OddQuantitiesTest {

  @Test
  void neitherWrapsNorRoundsNorBooksAnythingForThem() {
    try (var live = new LiveExtender()) {
      live.node("n1", 16);
      fits(live, "whole", "16");
      refused(live, "above", "17", 17);
      refused(live, "gibi", "16Gi", 17_179_869_184L);
      refused(live, "giga", "10G", 10_000_000_000L);
      refused(live, "wrapping", "4294967297", 4_294_967_297L);
      refused(live, "largest", "9223372036854775807", Long.MAX_VALUE);
      nothing(live, "zero", "0");
      LiveExtender.await(() -> live.used("n1", 0) == 0);
    }
  }

  private static void fits(LiveExtender live, String name, String quantity) {
    JsonNode pod = live.pod(name, quantity);
    assertTrue(live.fits(pod, "n1"));
    live.mustBind(pod, "n1");
    assertEquals(Map.of("main", Map.of(new DeviceUuid("GPU-n1-0"), 16L)), live.cards(name));
    assertEquals(16, live.used("n1", 0));
    live.delete(name);
    LiveExtender.await(() -> live.used("n1", 0) == 0);
  }

  private static void refused(LiveExtender live, String name, String quantity, long units) {
    JsonNode pod = live.pod(name, quantity);
    JsonNode answer = live.filter(pod, "n1");
    String reason = answer.path("FailedAndUnresolvableNodes").path("n1").asString();
    assertEquals("gpu-mem request is larger than any one GPU of this node", reason);
    assertEquals("the place was taken meanwhile", live.bind(pod, "n1").path("Error").asString());
    LiveExtender.await(() -> live.explain(name).has("request"));
    JsonNode explained = live.explain(name);
    assertEquals(units, explained.path("request").asLong());
    JsonNode node = explained.path("nodes").path(0);
    assertEquals(16, node.path("largestDevice").asLong());
    assertTrue(node.path("remedy").asString().contains("at most 16 units"), node.toString());
    assertEquals(0, live.used("n1", 0));
    live.delete(name);
  }

  private static void nothing(LiveExtender live, String name, String quantity) {
    JsonNode pod = live.pod(name, quantity);
    assertTrue(live.fits(pod, "n1"));
    live.mustBind(pod, "n1");
    assertEquals(Map.of(), live.cards(name));
    assertEquals(0, live.used("n1", 0));
  }
}
