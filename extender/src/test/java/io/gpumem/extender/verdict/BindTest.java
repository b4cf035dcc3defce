package io.gpumem.extender.verdict;

import static io.gpumem.extender.Given.bound;
import static io.gpumem.extender.Given.gpu;
import static io.gpumem.extender.Given.node;
import static io.gpumem.extender.Given.nominated;
import static io.gpumem.extender.Given.pod;
import static io.gpumem.extender.Given.wanting;
import static io.gpumem.extender.Given.withWish;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.ReservationCodec;
import io.gpumem.extender.RunningView;
import io.gpumem.extender.verdict.BindResult.Failure;
import io.gpumem.extender.view.Assumption;
import io.gpumem.platform.cluster.BindOutcome;
import io.gpumem.platform.cluster.Reading;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BindTest {

  private static void assertBound(BindResult result) {
    assertInstanceOf(BindResult.Bound.class, result);
  }

  private static void assertFailed(Failure why, BindResult result) {
    assertEquals(BindResult.failed(why), result);
  }

  @Test
  void sendsUidAndPlanAndCountsThePodFromThen() {
    var pod = pod("a", 10);
    try (var scene = new Scene(List.of(node("n1", 16, 16)), pod)) {
      assertBound(scene.bind(pod, "n1"));
      Scene.Sent sent = scene.sent.getFirst();
      assertEquals("uid-a", sent.pod().uid());
      assertEquals("n1", sent.node());
      assertEquals(
          Map.of("main", Map.of(gpu("n1", 0), 10L)), sent.plan().orElseThrow().containers());
      assertEquals(10, scene.running.used("n1", 0));
      assertEquals(
          Assumption.State.CERTAIN, scene.running.snapshot().assumptions().getFirst().state());
    }
  }

  @Test
  void decidesAgainOnTheNewestBooks() {
    var first = pod("a", 10);
    var second = pod("b", 10);
    var third = pod("c", 10);
    try (var scene = new Scene(List.of(node("n1", 16, 16)), first, second, third)) {
      assertBound(scene.bind(first, "n1"));
      assertBound(scene.bind(second, "n1"));
      assertEquals(
          Map.of("main", Map.of(gpu("n1", 1), 10L)),
          scene.sent.get(1).plan().orElseThrow().containers());
      assertFailed(Failure.NO_ROOM, scene.bind(third, "n1"));
      assertEquals(2, scene.sent.size());
    }
  }

  @Test
  void forgetsWhatTheServerRefused() {
    var pod = pod("a", 10);
    try (var scene = new Scene(List.of(node("n1", 16)), pod)) {
      scene.answers(new BindOutcome.Refused(403, "forbidden"));
      assertFailed(Failure.REFUSED, scene.bind(pod, "n1"));
      scene.answers(new BindOutcome.Gone("not found"));
      assertFailed(Failure.POD_GONE, scene.bind(pod, "n1"));
      scene.answers(new BindOutcome.Unreached("connection refused"));
      assertFailed(Failure.UNREACHED, scene.bind(pod, "n1"));
      assertEquals(0, scene.running.used("n1", 0));
    }
  }

  @Test
  void keepsWhatIsInDoubtAndSendsTheSamePlanAgain() {
    var pod = pod("a", 10);
    var other = pod("b", 13);
    try (var scene = new Scene(List.of(node("n1", 16, 16)), pod, other)) {
      scene.answers(new BindOutcome.Unknown("no answer"));
      assertFailed(Failure.UNKNOWN, scene.bind(pod, "n1"));
      assertEquals(10, scene.running.used("n1", 0));
      // The other device would be the tighter fit by now: the first plan must stand all the same.
      scene.running.see(bound(pod("c", 4), "n1", 1));
      scene.answers(new BindOutcome.Bound());
      assertBound(scene.bind(pod, "n1"));
      assertEquals(scene.sent.getFirst().annotations(), scene.sent.getLast().annotations());
      assertFailed(Failure.NO_ROOM, scene.bind(other, "n1"));
    }
  }

  @Test
  void believesTheAnnotationThatIsReadBack() {
    var pod = pod("a", 10);
    try (var scene = new Scene(List.of(node("n1", 16, 16)), pod)) {
      var there = bound(pod, "n1", 1).reservation().understood().orElseThrow();
      scene.answers(
          new BindOutcome.AlreadyBound(
              "n1", Map.of(Scene.KEYS.reservation(), ReservationCodec.encode(there))));
      assertBound(scene.bind(pod, "n1"));
      assertEquals(0, scene.running.used("n1", 0));
      assertEquals(10, scene.running.used("n1", 1));
    }
  }

  @Test
  void countsAPodThatIsBoundElsewhereWhereItIs() {
    var pod = pod("a", 10);
    try (var scene = new Scene(List.of(node("n1", 16), node("n2", 16)), pod)) {
      var there = bound(pod, "n2", 0).reservation().understood().orElseThrow();
      scene.answers(
          new BindOutcome.AlreadyBound(
              "n2", Map.of(Scene.KEYS.reservation(), ReservationCodec.encode(there))));
      assertFailed(Failure.BOUND_ELSEWHERE, scene.bind(pod, "n1"));
      assertEquals(0, scene.running.used("n1", 0));
      assertEquals(10, scene.running.used("n2", 0));
    }
  }

  @Test
  void countsAPodThatAnotherSchedulerBoundWithoutAPlanAsUnplaced() {
    var pod = pod("a", 10);
    try (var scene = new Scene(List.of(node("n1", 16, 16)), pod)) {
      scene.answers(new BindOutcome.AlreadyBound("n1", Map.of()));
      assertBound(scene.bind(pod, "n1"));
      assertEquals(10, scene.running.node("n1").ledger().unplaced());
    }
  }

  @Test
  void saysOkWithoutAskingForAPodThatTheWatchShowsBoundThere() {
    var pod = pod("a", 10);
    try (var scene = new Scene(List.of(node("n1", 16)), bound(pod, "n1", 0))) {
      assertBound(scene.bind(pod, "n1"));
      assertEquals(List.of(), scene.sent);
    }
  }

  @Test
  void saysOkWithoutAskingForAPodThatTheServerSaidIsBoundThere() {
    var pod = pod("a", 10);
    try (var scene = new Scene(List.of(node("n1", 16), node("n2", 16)), pod)) {
      // Somebody else bound it, without a plan of ours.
      scene.answers(new BindOutcome.AlreadyBound("n1", Map.of()));
      assertBound(scene.bind(pod, "n1"));
      assertBound(scene.bind(pod, "n1"));
      assertFailed(Failure.BOUND_ELSEWHERE, scene.bind(pod, "n2"));
      assertEquals(1, scene.sent.size());
      assertEquals(10, scene.running.node("n1").ledger().unplaced());
    }
  }

  @Test
  void readsAPodThatTheWatchHasNotShown() {
    var pod = pod("late", 10);
    try (var scene = new Scene(List.of(node("n1", 16), node("n2", 16)))) {
      scene.api.put("late", new Reading.Found<>(pod));
      assertBound(scene.bind(pod, "n1"));
      assertEquals(10, scene.running.used("n1", 0));

      scene.api.put("late", new Reading.Found<>(bound(pod, "n1", 0)));
      assertFailed(Failure.BOUND_ELSEWHERE, scene.bind(pod, "n2"));
      assertBound(scene.bind(pod, "n1"));

      scene.api.put("late", new Reading.Unread<>("no answer"));
      var unknown = pod("late2", 1);
      scene.api.put("late2", new Reading.Unread<>("no answer"));
      assertFailed(Failure.UNREACHED, scene.bind(unknown, "n1"));
    }
  }

  @Test
  void doesNotTakeAnotherPodOfThatNameForIt() {
    var pod = pod("a", 10);
    var successor =
        new PodFacts(
            new PodUid("uid-later"),
            pod.name(),
            pod.node(),
            pod.nominated(),
            0,
            0,
            pod.demand(),
            pod.wish(),
            pod.reservation());
    try (var scene = new Scene(List.of(node("n1", 16)))) {
      scene.api.put("a", new Reading.Found<>(successor));
      assertFailed(Failure.POD_GONE, scene.bind(pod, "n1"));
      assertEquals(List.of(), scene.sent);
    }
  }

  @Test
  void bindsAPodThatAsksNothingWithoutAPlan() {
    try (var scene = new Scene(List.of(node("n1", 16)))) {
      assertBound(scene.bind(pod("nothing", 1), "n1"));
      assertEquals(Map.of(), scene.sent.getFirst().annotations());
      assertEquals(0, scene.running.used("n1", 0));
      scene.answers(new BindOutcome.Gone("no such pod"));
      assertFailed(Failure.POD_GONE, scene.bind(pod("nothing", 1), "n1"));
      scene.answers(new BindOutcome.AlreadyBound("n2", Map.of()));
      assertFailed(Failure.BOUND_ELSEWHERE, scene.bind(pod("nothing", 1), "n1"));
    }
  }

  @Test
  void refusesNodesWithoutPluginAndWishesThatCannotBeRead() {
    var pod = pod("a", 10);
    var confused = withWish(pod("b", 1), Decoded.malformed("policy"));
    try (var scene = new Scene(List.of(node("n1", 16)), pod, confused)) {
      assertFailed(Failure.NO_PLUGIN, scene.bind(pod, "ghost"));
      assertFailed(Failure.BAD_ANNOTATION, scene.bind(confused, "n1"));
      assertEquals(List.of(), scene.sent);
    }
  }

  @Test
  void refusesAnUnlikeRequestWhileOneOfItsSizeIsStarting() {
    var pod = pod("p", 4);
    try (var scene = new Scene(List.of(node("n1", 16, 16)), pod)) {
      assertBound(scene.bind(pod, "n1"));
      var other = wanting(pod("q", 4), 2);
      scene.running.see(other);
      assertFailed(Failure.UNLIKE, scene.bind(other, "n1"));
    }
  }

  @Test
  void keepsRoomForNomineesThatAreAhead() {
    var pod = pod("a", 10);
    var ahead = nominated(pod("ahead", 10), "n1", 7);
    try (var scene = new Scene(List.of(node("n1", 16)), pod, ahead)) {
      assertFailed(Failure.NO_ROOM, scene.bind(pod, "n1"));
      assertBound(scene.bind(ahead, "n1"));
    }
  }

  @Test
  void givesTheReadNoMoreThanWhatIsLeftForTheWholeBind() {
    var pod = pod("late", 10);
    try (var scene = new Scene(List.of(node("n1", 16)))) {
      scene.api.put("late", new Reading.Found<>(pod));
      assertBound(scene.bind(pod, "n1"));
      assertEquals(List.of(Scene.BIND_TIMEOUT), scene.readDeadlines);
    }
  }

  @Test
  void doesNotPostWhenTimeIsUp() {
    var pod = pod("late", 10);
    try (var scene = new Scene(List.of(node("n1", 16)))) {
      var slow =
          new Bind(
              scene.running.view,
              (ref, node, annotations, deadline) -> {
                throw new AssertionError("expected no Binding");
              },
              new PodLookup(
                  (namespace, name, deadline) -> {
                    scene.running.time.advance(Scene.BIND_TIMEOUT);
                    return new Reading.Found<>(pod);
                  }),
              scene.filter,
              Scene.KEYS,
              scene.running.time,
              Scene.BIND_TIMEOUT);
      var request = new BindRequest(pod.name(), pod.uid(), new NodeName("n1"));
      BindResult result = assertDoesNotThrow(() -> slow.bind(request));
      assertFailed(Failure.TOO_LATE, result);
      scene.running.settle();
      assertEquals(0, scene.running.used("n1", 0));
    }
  }

  @Test
  void keepsTheAssumptionWhenABugEndsTheCall() {
    var pod = pod("a", 10);
    try (var scene = new Scene(List.of(node("n1", 16)), pod)) {
      scene.answer =
          (ref, node, annotations, deadline) -> {
            throw new IllegalStateException("a bug");
          };
      assertThrows(IllegalStateException.class, () -> scene.bind(pod, "n1"));
      scene.running.settle();
      assertEquals(
          Assumption.State.DOUBTFUL, scene.running.snapshot().assumptions().getFirst().state());
    }
  }

  @Test
  void keepsAFirstBindingInDoubtWhenASecondOneIsNotMade() {
    var pod = pod("a", 10);
    var other = pod("b", 10);
    try (var scene = new Scene(List.of(node("n1", 16)), pod, other)) {
      scene.answers(new BindOutcome.Unknown("no answer"));
      assertFailed(Failure.UNKNOWN, scene.bind(pod, "n1"));
      for (var refusal :
          List.of(
              new BindOutcome.Unreached("connection refused"),
              new BindOutcome.Refused(429, "too many requests"))) {
        scene.answers(refusal);
        scene.bind(pod, "n1");
        // The first may be made yet: its room is not anybody else's.
        assertEquals(10, scene.running.used("n1", 0), refusal.toString());
        assertFailed(Failure.NO_ROOM, scene.bind(other, "n1"));
      }
      scene.api.put("a", new Reading.Found<>(pod));
      scene.running.time.advance(Doubts.AFTER_DOUBT.plusMillis(1));
      scene.doubts.round();
      scene.running.settle();
      assertEquals(0, scene.running.used("n1", 0));
    }
  }

  @Test
  void countsTheDoubtFromTheLastAnswerThatWasMissed() throws Exception {
    var pod = pod("a", 10);
    try (var scene = new Scene(List.of(node("n1", 16)), pod)) {
      var view = scene.running.view;
      var placed = bound(pod, "n1", 0);
      Assumption first = view.assume(placed, RunningView.DEADLINE).orElseThrow();
      Assumption second = view.assume(placed, RunningView.DEADLINE).orElseThrow();
      view.forget(second);
      scene.running.time.advance(Doubts.AFTER_DOUBT);
      view.doubt(first);
      scene.running.settle();
      scene.running.time.advance(Doubts.AFTER_DOUBT);
      scene.api.put("a", new Reading.Found<>(pod));
      scene.doubts.round();
      scene.running.settle();
      assertEquals(10, scene.running.used("n1", 0));
    }
  }

  @Test
  void doesNotCountAPodThatTheWatchShowedGoneBeforeTheAnswerCame() {
    var pod = pod("a", 10);
    try (var scene = new Scene(List.of(node("n1", 16)), pod)) {
      scene.answer =
          (ref, node, annotations, deadline) -> {
            scene.running.see(bound(pod, "n1", 0));
            scene.running.miss(bound(pod, "n1", 0));
            return new BindOutcome.Bound();
          };
      assertBound(scene.bind(pod, "n1"));
      assertEquals(0, scene.running.used("n1", 0));
      assertEquals(List.of(), scene.running.snapshot().assumptions());
    }
  }

  @ParameterizedTest
  @EnumSource(Failure.class)
  void namesNoNumberAndNoNodeInAnyText(Failure failure) {
    assertTrue(failure.text().matches("[A-Za-z' ,-]+"), failure.text());
  }
}
