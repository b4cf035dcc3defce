package io.gpumem.extender.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.platform.cluster.fake.ObjectKey;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Dead pods hold nothing. */
class ShareC06DeadPodsTest {

  @Test
  void countsOnlyPodsThatHaveNotEnded() {
    try (var live = new LiveExtender()) {
      live.node("n1", 16);
      live.boundPod("a", 8, "n1", 0, "Succeeded");
      live.boundPod("b", 8, "n1", 0, "Failed");
      live.boundPod("c", 8, "n1", 0, "Running");
      live.restart();
      assertEquals(8, live.used("n1", 0));

      JsonNode d = live.pod("d", "8");
      assertTrue(live.fits(d, "n1"));
      live.mustBind(d, "n1");
      assertEquals(Map.of("main", Map.of(new DeviceUuid("GPU-n1-0"), 8L)), live.cards("d"));
      assertEquals(16, live.used("n1", 0));

      JsonNode e = live.pod("e", "1");
      assertFalse(live.fits(e, "n1"));
      live.status("a", "Failed");
      assertFalse(live.fits(e, "n1"));
      assertEquals(16, live.used("n1", 0));

      live.restart();
      assertEquals(16, live.used("n1", 0));
      assertFalse(live.fits(e, "n1"));

      live.delete("d");
      LiveExtender.await(() -> live.used("n1", 0) == 8);
      assertTrue(live.fits(e, "n1"));
      for (String dead : new String[] {"a", "b"}) {
        assertTrue(live.api.objects().find(ObjectKey.pod(LiveExtender.TEAM, dead)).isPresent());
      }
    }
  }
}
