package io.gpumem.extender.verdict;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import io.gpumem.extender.verdict.Closures.Closure;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Gives a pod its turn that is refused again and again as unlike.
 *
 * <p><b>Goal.</b> A stream of pods with one choice must not keep a pod with another choice of the
 * same size away for ever. <b>Constraint.</b> A node is closed for moments only, and only to that
 * size. <b>Algorithm.</b> A pod that had no node but such ones for more than {@link #PATIENCE}
 * closes the best of them to all other requests of its sizes for {@link #CLOSED}; what is
 * outstanding there settles meanwhile, and the pod's next try finds the node free.
 *
 * <p>The memory is bounded and of no other use: it is lost with the process, and the waiting begins
 * anew. Safe from any thread; the clock is handed in.
 */
final class Turns {

  /** Longer than a pod usually takes from bind to Allocate, so that most never wait for a turn. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Long enough for what is outstanding to be admitted, short enough not to be felt. */
  static final Duration CLOSED = Duration.ofSeconds(5);

  /** A pod of which nothing was heard for so long begins anew: retries come every 10 s. */
  private static final Duration FORGOTTEN = Duration.ofSeconds(60);

  /** Pods that are refused as unlike at one time; beyond that the longest unheard are dropped. */
  private static final int MOST_PODS = 1_024;

  private record Waiting(long firstNanos, long lastNanos) {}

  /** The pod that was heard last comes last. */
  private final Map<PodUid, Waiting> waiting = new LinkedHashMap<>(16, 0.75f, true);

  private final Map<NodeName, Closure> closed = new HashMap<>();
  private volatile Closures closures = Closures.NONE;

  /** What is closed at this moment. */
  Closures closures(long nowNanos) {
    Closures current = closures;
    boolean over =
        current.byNode().values().stream().anyMatch(each -> each.untilNanos() - nowNanos <= 0);
    return over ? reopen(nowNanos) : current;
  }

  private synchronized Closures reopen(long nowNanos) {
    closed.values().removeIf(each -> each.untilNanos() - nowNanos <= 0);
    closures = closed.isEmpty() ? Closures.NONE : new Closures(closed);
    return closures;
  }

  /** The pod has a node to go to, or is refused for another reason. */
  synchronized void served(PodUid pod) {
    waiting.remove(pod);
  }

  /**
   * The pod was refused, and some nodes would have had room but for the unlike request there.
   *
   * @param best finds the best of those nodes; asked only when the pod's turn has come
   */
  synchronized void refused(Applicant applicant, Supplier<Optional<NodeName>> best, long nowNanos) {
    long first =
        Optional.ofNullable(waiting.get(applicant.uid()))
            .filter(known -> nowNanos - known.lastNanos <= FORGOTTEN.toNanos())
            .map(Waiting::firstNanos)
            .orElse(nowNanos);
    waiting.put(applicant.uid(), new Waiting(first, nowNanos));
    if (waiting.size() > MOST_PODS) {
      waiting.remove(waiting.keySet().iterator().next());
    }
    if (nowNanos - first > PATIENCE.toNanos()) {
      best.get()
          .filter(node -> !closed.containsKey(node))
          .ifPresent(node -> close(node, applicant, nowNanos));
    }
  }

  private void close(NodeName node, Applicant applicant, long nowNanos) {
    Set<Long> sizes =
        applicant.pod().demand().containers().stream()
            .map(ContainerDemand::units)
            .collect(Collectors.toSet());
    closed.put(node, new Closure(applicant.uid(), sizes, nowNanos + CLOSED.toNanos()));
    closures = new Closures(closed);
  }

  synchronized int size() {
    return waiting.size();
  }
}
