package io.gpumem.plugin.allocate;

import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.units.PodUid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What we answered to Allocate: IDs that the kubelet's table will show in a moment, and IDs of
 * ordinary init containers, which it never shows. Mutable, not thread-safe: {@link NodeState} owns
 * it.
 */
final class Answers {

  /** A reading that began this long after an answer has seen it, or it is gone. */
  static final long SETTLES_NANOS = Duration.ofSeconds(1).toNanos();

  /** How long an answer stands that shows under a name which no pod of our watch has. */
  static final long STRANGER_NANOS = Duration.ofSeconds(10).toNanos();

  private final List<Answer> open = new ArrayList<>();
  private final Map<PodUid, UnitSet> init = new HashMap<>();

  /**
   * Takes an answer; it replaces those whose IDs the kubelet has given again.
   *
   * @param served the request that it seems to have been for
   */
  void given(UnitSet ids, Optional<Outstanding> served, long nowNanos) {
    open.removeIf(answer -> ids.containsAll(answer.ids()));
    if (served.isPresent() && served.get().phase() == Phase.INIT) {
      init.merge(served.get().pod(), ids, UnitSet::plus);
    } else {
      open.add(new Answer(ids, nowNanos));
    }
  }

  /** Takes an answer back that never reached the kubelet. */
  void withdraw(UnitSet ids) {
    open.removeIf(answer -> answer.ids().equals(ids));
    init.replaceAll((pod, units) -> units.minus(ids));
    init.values().removeIf(UnitSet::isEmpty);
  }

  void gone(PodUid pod) {
    init.remove(pod);
  }

  /** Those that the table has not shown under a pod we know, oldest first. */
  List<Answer> open() {
    return open;
  }

  /** What ordinary init containers hold, by pod. */
  Map<PodUid, UnitSet> init() {
    return init;
  }

  /**
   * Drops answers that the table shows under a pod we know, or should show by now and does not. One
   * that shows under a name of no live pod stays a while: that pod's reservation is late, and until
   * it comes the place that the answer took must not be offered again.
   *
   * @param readSince since when every pod was read; empty when one was never
   */
  void settle(Table table, Collection<PodFacts> pods, OptionalLong readSince) {
    open.removeIf(
        answer -> {
          if (table.showsAs(pods, answer.ids())) {
            return true;
          }
          boolean shown = table.shows(answer.ids());
          long limit = shown ? STRANGER_NANOS : SETTLES_NANOS;
          boolean settled =
              readSince.isPresent() && readSince.getAsLong() - answer.atNanos() >= limit;
          if (settled && !shown) {
            keepAsInitHolding(answer, pods);
          }
          return settled;
        });
  }

  /** What was answered and never shows is what an ordinary init container of some pod holds. */
  private void keepAsInitHolding(Answer answer, Collection<PodFacts> pods) {
    if (init.values().stream().anyMatch(ids -> !ids.isDisjoint(answer.ids()))) {
      return;
    }
    pods.stream()
        .filter(pod -> !init.containsKey(pod.uid()))
        .filter(pod -> asksInInit(pod, answer.ids().size()))
        .findFirst()
        .ifPresent(pod -> init.put(pod.uid(), answer.ids()));
  }

  private static boolean asksInInit(PodFacts pod, long units) {
    return pod.demand().containers().stream()
        .anyMatch(each -> each.phase() == Phase.INIT && each.units() == units);
  }
}
