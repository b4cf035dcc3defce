package io.gpumem.extender.verdict;

import static io.gpumem.extender.Given.bound;
import static io.gpumem.extender.Given.node;
import static io.gpumem.extender.Given.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.platform.cluster.BindOutcome;
import io.gpumem.platform.cluster.Reading;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DoubtsTest {

  private static final PodFacts POD = pod("a", 10);

  private static Scene inDoubt() {
    var scene = new Scene(List.of(node("n1", 16, 16)), POD);
    scene.answers(new BindOutcome.Unknown("no answer"));
    scene.bind(POD, "n1");
    return scene;
  }

  private static void round(Scene scene, Duration later) {
    scene.running.time.advance(later);
    scene.doubts.round();
    scene.running.settle();
  }

  @Test
  void waitsBeforeItAsks() {
    try (var scene = inDoubt()) {
      scene.api.put("a", new Reading.Found<>(POD));
      round(scene, Doubts.AFTER_DOUBT);
      assertEquals(10, scene.running.used("n1", 0));
    }
  }

  @Test
  void forgetsWhatIsReadAsUnbound() {
    try (var scene = inDoubt()) {
      scene.api.put("a", new Reading.Found<>(POD));
      round(scene, Doubts.AFTER_DOUBT.plusMillis(1));
      assertEquals(0, scene.running.used("n1", 0));
      assertTrue(scene.running.snapshot().assumptions().isEmpty());
    }
  }

  @Test
  void believesWhereItIsReadAsBound() {
    try (var scene = inDoubt()) {
      scene.api.put("a", new Reading.Found<>(bound(POD, "n1", 1)));
      round(scene, Doubts.AFTER_DOUBT.plusMillis(1));
      assertEquals(0, scene.running.used("n1", 0));
      assertEquals(10, scene.running.used("n1", 1));
    }
  }

  @Test
  void forgetsAPodThatIsGone() {
    try (var scene = inDoubt()) {
      round(scene, Doubts.AFTER_DOUBT.plusMillis(1));
      assertEquals(0, scene.running.used("n1", 0));
    }
  }

  @Test
  void keepsTheDoubtWhileNobodyAnswers() {
    try (var scene = inDoubt()) {
      scene.api.put("a", new Reading.Unread<>("no answer"));
      round(scene, Duration.ofMinutes(10));
      assertEquals(10, scene.running.used("n1", 0));
    }
  }

  @Test
  void asksAboutCertainOnesOnlyWhenTheWatchIsLongOverdue() {
    try (var scene = new Scene(List.of(node("n1", 16)), POD)) {
      scene.bind(POD, "n1");
      round(scene, Doubts.AFTER_CERTAINTY);
      assertEquals(10, scene.running.used("n1", 0));
      round(scene, Duration.ofMillis(1));
      assertEquals(0, scene.running.used("n1", 0), "the pod was deleted unseen");
    }
  }

  @Test
  void runsByItselfUntilItIsStopped() throws Exception {
    try (var scene = inDoubt()) {
      scene.api.put("a", new Reading.Found<>(POD));
      scene.doubts.start();
      long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      while (scene.running.used("n1", 0) != 0 && System.nanoTime() < end) {
        scene.running.time.advance(Duration.ofSeconds(1));
        scene.running.settle();
      }
      assertEquals(0, scene.running.used("n1", 0));
      scene.doubts.stop();
      assertEquals(0, scene.running.time.waiting());
    }
  }
}
