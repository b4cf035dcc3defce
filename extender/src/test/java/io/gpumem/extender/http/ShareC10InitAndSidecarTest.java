package io.gpumem.extender.http;

import static io.gpumem.extender.http.LiveExtender.container;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Init containers and native sidecars. */
class ShareC10InitAndSidecarTest {

  private static void booked(
      LiveExtender live, String name, long units, List<String> inits, List<String> apps) {
    JsonNode pod = live.pod(LiveExtender.spec(name, inits, apps));
    assertTrue(live.fits(pod, "n1"), name);
    live.mustBind(pod, "n1");
    assertEquals(units, live.used("n1", 0), name);
    live.delete(name);
    LiveExtender.await(() -> live.used("n1", 0) == 0);
  }

  @Test
  void booksThePeakAsKubeSchedulerDoes() {
    List<String> large =
        List.of(
            container("i1", "10", false),
            container("i2", "10", false),
            container("i3", "10", false));
    List<String> four = List.of(container("app", "4", false));
    try (var live = new LiveExtender()) {
      live.node("n1", 16);
      booked(live, "p1", 10, large, four);
      booked(live, "p2", 8, List.of(container("side", "4", true)), four);
      booked(
          live,
          "p3",
          7,
          List.of(container("side", "2", true), container("init", "5", false)),
          List.of(container("app", "3", false)));
      booked(
          live,
          "p4",
          6,
          List.of(container("init", "", false)),
          List.of(container("app1", "3", false), container("app2", "3", false)));
      booked(
          live,
          "p5",
          12,
          List.of(container("init", "12", false)),
          List.of(container("app", "", false)));

      JsonNode p1 = live.pod(LiveExtender.spec("p1-running", large, four));
      live.mustBind(p1, "n1");
      live.status("p1-running", "Running");
      JsonNode p1b = live.pod(LiveExtender.spec("p1b", large, four));
      assertFalse(live.fits(p1b, "n1"), "10 + 10 > 16");
    }
  }
}
