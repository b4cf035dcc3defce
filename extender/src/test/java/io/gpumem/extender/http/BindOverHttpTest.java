package io.gpumem.extender.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.extender.Given;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.RecordedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What is in the API server after binds that compete, fail, come late or are never heard of. */
class BindOverHttpTest {

  private static final int CROWD = 50;

  private static JsonNode stored(LiveExtender live, String name) {
    return live.api.objects().find(ObjectKey.pod(LiveExtender.TEAM, name)).orElseThrow();
  }

  private static boolean isBinding(RecordedRequest request) {
    return request.method().equals("POST") && request.path().endsWith("/binding");
  }

  private static void assertUntouched(LiveExtender live, String name) {
    JsonNode pod = stored(live, name);
    assertEquals("", pod.at("/spec/nodeName").asString(""), pod::toString);
    assertTrue(pod.at("/metadata/annotations").isEmpty(), pod::toString);
  }

  @Test
  void letsOneOfFiftyTakeTheOnlyPlaceAndTellsTheOthers() throws Exception {
    try (var live = new LiveExtender();
        var executor = Executors.newFixedThreadPool(CROWD)) {
      live.node("n1", 16);
      var together = new CountDownLatch(CROWD);
      List<Callable<String>> binds = new ArrayList<>();
      for (int i = 0; i < CROWD; i++) {
        JsonNode pod = live.pod("p" + i, "10");
        binds.add(
            () -> {
              together.countDown();
              together.await();
              return live.bind(pod, "n1").path("Error").asString();
            });
      }
      List<String> errors = new ArrayList<>();
      for (Future<String> result : executor.invokeAll(binds)) {
        errors.add(result.get());
      }
      assertEquals(1, errors.stream().filter(String::isEmpty).count());
      assertEquals(1, live.api.requests().stream().filter(BindOverHttpTest::isBinding).count());
      assertEquals(10, live.used("n1", 0));
    }
  }

  @Test
  void leavesNoTraceOfADecisionThatNeverReachedTheServer() {
    try (var live = new LiveExtender(Duration.ofSeconds(1), Duration.ofMinutes(1))) {
      live.node("n1", 16);
      JsonNode pod = live.pod("p", "10");
      LiveExtender.await(() -> live.explain("p").has("request"));
      live.api.refuseNext(BindOverHttpTest::isBinding, 403, "Forbidden", "no");
      assertFalse(live.bind(pod, "n1").path("Error").asString().isEmpty());
      assertUntouched(live, "p");
      assertEquals(0, live.used("n1", 0));

      live.api.unplugged(true);
      live.api.cutConnections();
      assertFalse(live.bind(pod, "n1").path("Error").asString().isEmpty());
      live.api.unplugged(false);
      live.restart();
      assertUntouched(live, "p");
      assertEquals(0, live.used("n1", 0), "a new extender knows what is written and no more");
      live.mustBind(pod, "n1");
    }
  }

  @Test
  void writesNodeUidAndPlanInOneBinding() {
    try (var live = new LiveExtender()) {
      live.node("n1", 16, 16);
      JsonNode pod = live.pod("p", "10");
      live.mustBind(pod, "n1");
      List<RecordedRequest> writes =
          live.api.requests().stream().filter(each -> !each.method().equals("GET")).toList();
      assertEquals(1, writes.size(), writes::toString);
      JsonNode binding = LiveExtender.JSON.readTree(writes.getFirst().body());
      assertEquals(LiveExtender.uid(pod), binding.at("/metadata/uid").asString());
      assertEquals("n1", binding.at("/target/name").asString());
      assertTrue(binding.path("metadata").path("annotations").has(LiveExtender.KEYS.reservation()));
      assertEquals("n1", stored(live, "p").at("/spec/nodeName").asString());
      assertEquals(Map.of("main", Map.of(Given.gpu("n1", 0), 10L)), live.cards("p"));
    }
  }

  @Test
  void saysInTimeThatItDoesNotKnowWhenTheServerIsLate() {
    try (var live = new LiveExtender(Duration.ofMillis(500), Duration.ofMinutes(1))) {
      live.node("n1", 16);
      JsonNode pod = live.pod("p", "10");
      live.api.answerNextBindingLate(Duration.ofMinutes(5));
      assertFalse(live.bind(pod, "n1").path("Error").asString().isEmpty(), "long before that");
      LiveExtender.await(() -> stored(live, "p").at("/spec/nodeName").asString("").equals("n1"));
      live.mustBind(pod, "n1");
      assertEquals(10, live.used("n1", 0));
    }
  }

  @Test
  void losesNoReservationWhenItIsKilled() {
    try (var live = new LiveExtender()) {
      live.node("n1", 16, 16);
      for (int i = 0; i < 4; i++) {
        live.mustBind(live.pod("p" + i, "7"), "n1");
      }
      Map<String, Map<DeviceUuid, Long>> plan = live.cards("p3");

      live.restart();

      assertEquals(List.of(14L, 14L), List.of(live.used("n1", 0), live.used("n1", 1)));
      assertEquals(plan, live.cards("p3"));
      assertFalse(live.fits(live.pod("late", "3"), "n1"));
      live.mustBind(live.pod("small", "2"), "n1");
    }
  }
}
