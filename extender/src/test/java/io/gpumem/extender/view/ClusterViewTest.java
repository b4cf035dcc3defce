package io.gpumem.extender.view;

import static io.gpumem.extender.Given.bound;
import static io.gpumem.extender.Given.created;
import static io.gpumem.extender.Given.node;
import static io.gpumem.extender.Given.nominated;
import static io.gpumem.extender.Given.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.extender.RunningView;
import io.gpumem.platform.cluster.FeedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterViewTest {

  private static List<String> names(List<PodFacts> pods) {
    return pods.stream().map(each -> each.name().name()).toList();
  }

  private static Assumption assume(RunningView running, PodFacts bound) throws Exception {
    return running.view.assume(bound, RunningView.DEADLINE).orElseThrow();
  }

  @Test
  void isCompleteOnlyAfterBothLists() {
    try (var running = new RunningView()) {
      assertFalse(running.view.isComplete());
      running.listNodes();
      assertFalse(running.view.isComplete());
      running.listPods();
      assertTrue(running.view.isComplete());
    }
  }

  @Test
  void makesOneSnapshotOfAListHoweverLong() {
    List<PodFacts> pods = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      pods.add(bound(pod("p" + i, 1), "n" + i % 100, 0));
    }
    try (var running = RunningView.of(List.of(node("n7", 139)), pods)) {
      assertEquals(2, running.snapshot().generation());
      assertEquals(500, running.used("n7", 0));
      assertEquals(50_000, running.snapshot().placed().count());
    }
  }

  @Test
  void keepsTheViewOfANodeThatNothingTouched() {
    try (var running = RunningView.of(List.of(node("n1", 16), node("n2", 16)), List.of())) {
      NodeView untouched = running.node("n2");
      running.see(bound(pod("a", 4), "n1", 0));
      assertEquals(4, running.used("n1", 0));
      assertSame(untouched, running.node("n2"));
    }
  }

  @Test
  void makesNoSnapshotWhenNothingChanged() {
    var pod = bound(pod("a", 4), "n1", 0);
    try (var running = RunningView.of(List.of(node("n1", 16)), List.of(pod))) {
      ClusterSnapshot before = running.snapshot();
      running.see(pod);
      running.see(node("n1", 16));
      running.listPods(pod);
      assertSame(before, running.snapshot());
    }
  }

  @Test
  void takesAPodThatIsGoneOutOfTheBooksAtOnce() {
    var pod = bound(pod("a", 4), "n1", 0);
    try (var running = RunningView.of(List.of(node("n1", 16)), List.of(pod))) {
      running.miss(pod);
      assertEquals(0, running.used("n1", 0));
    }
  }

  @Test
  void dropsWhatANewListDoesNotName() {
    var stays = bound(pod("a", 4), "n1", 0);
    var leaves = bound(pod("b", 8), "n1", 0);
    var nodes = List.of(node("n1", 16), node("n2", 16));
    try (var running = RunningView.of(nodes, List.of(stays, leaves))) {
      running.listPods(stays);
      running.listNodes(node("n1", 16));
      assertEquals(4, running.used("n1", 0));
      assertTrue(running.snapshot().node(new NodeName("n2")).isEmpty());
    }
  }

  @Test
  void countsPodsOfANodeThatShowsLater() {
    try (var running = RunningView.of(List.of(), List.of(bound(pod("a", 4), "n1", 0)))) {
      assertEquals(List.of("a"), names(running.snapshot().placed().toList()));
      running.see(node("n1", 16));
      assertEquals(4, running.used("n1", 0));
    }
  }

  @Test
  void ordersPodsByAppearanceAndThoseOfOneListByAge() {
    var old = created(bound(pod("z-old", 1), "n1", 0), 1_000);
    var young = created(bound(pod("a-young", 1), "n1", 0), 2_000);
    var oldest = created(bound(pod("m-late", 1), "n1", 0), 500);
    try (var running = RunningView.of(List.of(node("n1", 16)), List.of(young, old))) {
      running.see(oldest);
      running.listPods(oldest, young, old);
      assertEquals(List.of("z-old", "a-young", "m-late"), names(running.node("n1").pods()));
    }
  }

  @Test
  void countsAnAssumptionBeforeAssumeReturns() throws Exception {
    try (var running = RunningView.of(List.of(node("n1", 16)), List.of(pod("a", 4)))) {
      assume(running, bound(pod("a", 4), "n1", 0));
      assertEquals(4, running.used("n1", 0));
      assertTrue(running.snapshot().waiting(pod("a", 4).uid()).isPresent());
    }
  }

  @Test
  void keepsAnAssumptionWhileTheWatchIsBehind() throws Exception {
    var pod = pod("a", 4);
    try (var running = RunningView.of(List.of(node("n1", 16)), List.of(pod))) {
      assume(running, bound(pod, "n1", 0));
      running.see(nominated(pod, "n1", 0));
      running.listPods(pod);
      assertEquals(4, running.used("n1", 0));
    }
  }

  @Test
  void believesTheWatchOverAnAssumption() throws Exception {
    var pod = pod("a", 4);
    var nodes = List.of(node("n1", 16, 16));
    try (var running = RunningView.of(nodes, List.of(pod))) {
      assume(running, bound(pod, "n1", 0));
      running.see(bound(pod, "n1", 1));
      assertEquals(0, running.used("n1", 0));
      assertEquals(4, running.used("n1", 1));
      assertEquals(List.of(), running.snapshot().assumptions());
    }
  }

  @Test
  void ignoresAnAssumptionOfAPodThatTheWatchShowsBound() throws Exception {
    var pod = pod("a", 4);
    var nodes = List.of(node("n1", 16), node("n2", 16));
    try (var running = RunningView.of(nodes, List.of(bound(pod, "n1", 0)))) {
      assume(running, bound(pod, "n2", 0));
      assertEquals(4, running.used("n1", 0));
      assertEquals(0, running.used("n2", 0));
    }
  }

  @Test
  void forgetsAnAssumptionWithItsPod() throws Exception {
    var pod = pod("a", 4);
    try (var running = RunningView.of(List.of(node("n1", 16)), List.of(pod))) {
      assume(running, bound(pod, "n1", 0));
      running.miss(pod);
      assertEquals(0, running.used("n1", 0));
      assertEquals(List.of(), running.snapshot().assumptions());
    }
  }

  @Test
  void countsBothPlacesWhileOneIsInDoubt() throws Exception {
    var pod = pod("a", 4);
    var nodes = List.of(node("n1", 16), node("n2", 16));
    try (var running = RunningView.of(nodes, List.of(pod))) {
      running.view.doubt(assume(running, bound(pod, "n1", 0)));
      assume(running, bound(pod, "n2", 0));
      assertEquals(4, running.used("n1", 0));
      assertEquals(4, running.used("n2", 0));
      running.view.settle(bound(pod, "n2", 0));
      running.settle();
      assertEquals(0, running.used("n1", 0));
      assertEquals(4, running.used("n2", 0));
    }
  }

  @Test
  void doesNotForgetALaterAttemptForThePlace() throws Exception {
    var pod = pod("a", 4);
    try (var running = RunningView.of(List.of(node("n1", 16)), List.of(pod))) {
      Assumption first = assume(running, bound(pod, "n1", 0));
      Assumption second = assume(running, bound(pod, "n1", 0));
      running.view.forget(first);
      running.settle();
      assertEquals(4, running.used("n1", 0));
      running.view.forget(second);
      running.settle();
      assertEquals(4, running.used("n1", 0), "a repeat says nothing of what was sent before");
      // As when a consistent read has shown the pod unbound.
      running.view.forget(second);
      running.settle();
      assertEquals(0, running.used("n1", 0));
    }
  }

  @Test
  void countsAPodInDoubtThatTheWatchHadShownGoneBefore() throws Exception {
    var pod = pod("a", 4);
    try (var running = RunningView.of(List.of(node("n1", 16)), List.of(pod))) {
      running.view.onPods(new FeedEvent.Gone<>(pod));
      Assumption assumption = assume(running, bound(pod, "n1", 0));
      running.view.doubt(assumption);
      running.settle();
      assertEquals(4, running.used("n1", 0));
    }
  }

  @Test
  void listsNomineesInTheirOrderAndNotThoseAssumedAnywhere() throws Exception {
    var low = nominated(created(pod("low", 1), 1), "n1", 0);
    var high = nominated(created(pod("high", 1), 9), "n1", 5);
    var assumed = nominated(pod("assumed", 1), "n1", 9);
    try (var running = RunningView.of(List.of(node("n1", 16)), List.of(low, high, assumed))) {
      assume(running, bound(assumed, "n1", 0));
      assertEquals(List.of("high", "low"), names(running.node("n1").nominees()));
      running.see(bound(high, "n1", 0));
      running.see(pod("low", 1));
      assertEquals(List.of(), names(running.node("n1").nominees()));
    }
  }

  @Test
  void showsDiscrepanciesAsLongAsTheyLast() {
    var unplaced = pod("a", 4);
    var forged =
        new PodFacts(
            unplaced.uid(),
            unplaced.name(),
            java.util.Optional.of(new NodeName("n1")),
            java.util.Optional.empty(),
            0,
            0,
            unplaced.demand(),
            unplaced.wish(),
            bound(pod("other", 4), "n1", 0).reservation());
    try (var running = RunningView.of(List.of(node("n1", 16)), List.of(forged))) {
      String line = "gpumem_extender_discrepancies{kind=\"reservation_other_uid\"} ";
      assertTrue(running.metrics.exposition().text().contains(line + "1.0"));
      running.miss(forged);
      assertTrue(running.metrics.exposition().text().contains(line + "0.0"));
    }
  }

  @Test
  void givesUpAnAssumptionThatTheWriterDoesNotTakeInTime() throws Exception {
    var running = RunningView.of(List.of(node("n1", 16)), List.of(pod("a", 4)));
    running.close();
    assertTrue(running.view.assume(bound(pod("a", 4), "n1", 0), Duration.ofMillis(50)).isEmpty());
  }
}
