package io.gpumem.extender.http.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.units.PodName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;

class PodQueueTest {

  private final PodQueue queue = new PodQueue(Duration.ofSeconds(1), Duration.ofSeconds(10));

  private static SchedulerPod pod(String name, int priority, long createdSeconds) {
    return new SchedulerPod(
        "uid-" + name,
        new PodName("team-a", name),
        priority,
        Instant.ofEpochSecond(createdSeconds),
        1,
        true,
        "",
        JsonNodeFactory.instance.objectNode());
  }

  private static long at(double seconds) {
    return (long) (seconds * 1e9);
  }

  private String next(double seconds) {
    Optional<SchedulerPod> next = queue.next(at(seconds));
    return next.map(pod -> pod.name().name()).orElse("");
  }

  @Test
  void givesPriorityThenAgeThenNameAndEachPodOnce() {
    queue.waits(
        List.of(pod("b", 0, 5), pod("a", 0, 5), pod("old", 0, 1), pod("high", 9, 9)), at(0));
    assertEquals(
        List.of("high", "old", "a", "b", ""), List.of(next(0), next(0), next(0), next(0), next(0)));
  }

  @Test
  void doublesTheBackOffUpToItsMost() {
    queue.waits(List.of(pod("a", 0, 0)), at(0));
    double now = 0;
    for (double wait : new double[] {1, 2, 4, 8, 10, 10}) {
      assertEquals("a", next(now));
      queue.failed("uid-a", at(now));
      assertEquals("", next(now + wait - 0.001));
      now += wait;
    }
    assertEquals("a", next(now));
  }

  @Test
  void parksAnUnschedulablePodUntilSomethingChangesOrFiveMinutesPass() {
    queue.waits(List.of(pod("a", 0, 0)), at(0));
    assertEquals("a", next(0));
    queue.unschedulable("uid-a", at(0));
    assertEquals("", next(60));
    queue.wake();
    assertEquals("a", next(60));
    queue.unschedulable("uid-a", at(60));
    assertEquals("", next(359));
    assertEquals("a", next(360));
  }

  @Test
  void doesNotWakeAPodBeforeItsBackOffIsOver() {
    queue.waits(List.of(pod("a", 0, 0)), at(0));
    assertEquals("a", next(0));
    queue.unschedulable("uid-a", at(0));
    queue.wake();
    assertEquals("", next(0.9));
    assertEquals("a", next(1));
  }

  @Test
  void forgetsPodsThatWaitNoMore() {
    queue.waits(List.of(pod("a", 0, 0)), at(0));
    queue.waits(List.of(), at(0));
    assertEquals("", next(0));
    queue.failed("uid-a", at(0));
    assertEquals("", next(100));
  }
}
