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
import java.util.Set;

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
   * @param reuser the pod whose init container had some of the IDs: they are given to no other
   */
  void given(UnitSet ids, Optional<Outstanding> served, Optional<PodFacts> reuser, long nowNanos) {
    open.removeIf(
        answer ->
            ids.containsAll(answer.ids()) || (reuser.isPresent() && !answer.ids().isDisjoint(ids)));
    Optional<PodUid> servedPod = served.map(Outstanding::pod);
    Optional<PodUid> holder =
        reuser
            .filter(pod -> !servedPod.equals(Optional.of(pod.uid())) || asksInInit(pod, ids.size()))
            .map(PodFacts::uid)
            .or(() -> served.filter(each -> each.phase() == Phase.INIT).map(Outstanding::pod));
    if (holder.isPresent()) {
      init.merge(holder.get(), ids, UnitSet::plus);
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

  /**
   * A pod has ended: of each size that it asked and that never showed, the oldest answer may have
   * been for it.
   */
  void gone(PodFacts pod, Table table) {
    init.remove(pod.uid());
    Set<String> shown = table.allocated(pod).keySet();
    pod.demand().containers().stream()
        .filter(each -> !shown.contains(each.container()))
        .forEach(each -> orphan(each.units(), table));
  }

  private void orphan(long units, Table table) {
    for (int i = 0; i < open.size(); i++) {
      Answer answer = open.get(i);
      if (answer.ids().size() == units && !answer.orphan() && !table.shows(answer.ids())) {
        open.set(i, new Answer(answer.ids(), answer.atNanos(), true));
        return;
      }
    }
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
   * A live pod with something that the table does not show, which an answer may have been for.
   *
   * @param seenNanos when our watch first showed it
   * @param readNanos when the last reading of it began; empty when there was none
   */
  record Waiting(PodFacts pod, long seenNanos, OptionalLong readNanos) {}

  /**
   * Drops answers that the table shows under a pod we know, or should show by now and does not. One
   * that shows under a name of no live pod stays a while: that pod's reservation is late, and until
   * it comes the place that the answer took must not be offered again.
   *
   * <p>An answer that never shows was for a pod that has ended since, however short it lived, or
   * for an ordinary init container. Kept, it would stand for the next request of its size.
   *
   * @param readSince since when every pod was read; empty when one was never
   */
  void settle(
      Table table,
      Collection<PodFacts> pods,
      OptionalLong readSince,
      List<Waiting> waiting,
      long nowNanos) {
    open.removeIf(
        answer -> {
          if (table.showsAs(pods, answer.ids())) {
            return true;
          }
          if (table.shows(answer.ids())) {
            return readSince.isPresent()
                && readSince.getAsLong() - answer.atNanos() >= STRANGER_NANOS;
          }
          boolean settled = isSettled(answer, waiting, nowNanos);
          if (settled) {
            keepAsInitHolding(answer, waiting);
          }
          return settled;
        });
  }

  /** Whether every pod that an unseen answer can have been for was read since, or is gone. */
  private static boolean isSettled(Answer answer, List<Waiting> waiting, long nowNanos) {
    OptionalLong readSince =
        waiting.stream()
            .filter(each -> canBeFor(answer, each) && asks(each.pod(), answer.ids().size()))
            .mapToLong(each -> each.readNanos().orElse(Long.MIN_VALUE))
            .min();
    return readSince.isPresent()
        ? readSince.getAsLong() != Long.MIN_VALUE
            && readSince.getAsLong() - answer.atNanos() >= SETTLES_NANOS
        : nowNanos - answer.atNanos() >= lateness(answer);
  }

  /** A pod that our watch showed long after the answer is not the one that it was for. */
  private static boolean canBeFor(Answer answer, Waiting pod) {
    return pod.seenNanos() - answer.atNanos() < lateness(answer);
  }

  /** Our watch can be late; but where a pod has ended that fits, we need not look for another. */
  private static long lateness(Answer answer) {
    return answer.orphan() ? SETTLES_NANOS : STRANGER_NANOS;
  }

  private static boolean asks(PodFacts pod, long units) {
    return pod.demand().containers().stream().anyMatch(each -> each.units() == units);
  }

  /** What was answered and never shows is what an ordinary init container of some pod holds. */
  private void keepAsInitHolding(Answer answer, List<Waiting> waiting) {
    if (init.values().stream().anyMatch(ids -> !ids.isDisjoint(answer.ids()))) {
      return;
    }
    waiting.stream()
        .filter(each -> canBeFor(answer, each))
        .map(Waiting::pod)
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
