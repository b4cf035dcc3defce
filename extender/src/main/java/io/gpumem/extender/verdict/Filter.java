package io.gpumem.extender.verdict;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.placement.Refusal;
import io.gpumem.core.units.NodeName;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.extender.view.NodeView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which nodes a pod may go to. It reserves nothing and leaves no trace but in {@link Turns}: the
 * scheduler asks it again and again, for pods that then go elsewhere. Safe from any thread.
 */
public final class Filter {

  private final Policy standard;
  private final Turns turns;

  /**
   * @param standard the policy of pods that name none
   */
  public Filter(Policy standard) {
    this(standard, new Turns());
  }

  Filter(Policy standard, Turns turns) {
    this.standard = standard;
    this.turns = turns;
  }

  Policy standard() {
    return standard;
  }

  Turns turns() {
    return turns;
  }

  /**
   * Sorts the names. A name that is no node of ours is refused like any other, whatever it is.
   *
   * @param nowNanos the time on a clock that only goes forward
   */
  public Filtered filter(
      ClusterSnapshot snapshot, PodFacts pod, List<String> names, long nowNanos) {
    if (pod.demand().isNone()) {
      return Filtered.allPass(names);
    }
    Optional<Applicant> applicant = Applicant.of(snapshot, pod, standard);
    if (applicant.isEmpty()) {
      return new Filtered(List.of(), Map.of(), all(names, Refusal.BAD_ANNOTATION));
    }
    Filtered filtered =
        decide(snapshot, applicant.get(), names, turns.closures(nowNanos), standard);
    takeTurns(snapshot, applicant.get(), filtered, nowNanos);
    return filtered;
  }

  /** The same answer for the same arguments, always. */
  static Filtered decide(
      ClusterSnapshot snapshot,
      Applicant applicant,
      List<String> names,
      Closures closures,
      Policy standard) {
    List<String> passed = new ArrayList<>();
    Map<String, Refusal> failed = new LinkedHashMap<>();
    Map<String, Refusal> unresolvable = new LinkedHashMap<>();
    for (String name : names) {
      Optional<NodeView> node = node(snapshot, name);
      Optional<Refusal> refusal =
          node.isEmpty()
              ? Optional.of(Refusal.UNKNOWN_NODE)
              : Trial.refusal(node.get(), applicant, closures, standard);
      if (refusal.isEmpty()) {
        passed.add(name);
      } else {
        boolean curable = isCurable(refusal.get(), node, applicant);
        (curable ? failed : unresolvable).put(name, refusal.get());
      }
    }
    return new Filtered(passed, failed, unresolvable);
  }

  /**
   * On its own nominated node a pod waits for victims to go: called unresolvable there, the
   * scheduler would look for victims elsewhere and evict twice.
   */
  private static boolean isCurable(Refusal why, Optional<NodeView> node, Applicant applicant) {
    boolean momentary = why == Refusal.FRAGMENTED || why == Refusal.UNLIKE;
    return why.isCurableByPreemption()
        || (momentary && node.map(view -> applicant.isNominatedFor(view.name())).orElse(false));
  }

  static Optional<NodeView> node(ClusterSnapshot snapshot, String name) {
    return name.isEmpty() ? Optional.empty() : snapshot.node(new NodeName(name));
  }

  private static Map<String, Refusal> all(List<String> names, Refusal why) {
    Map<String, Refusal> all = new LinkedHashMap<>();
    names.forEach(name -> all.put(name, why));
    return all;
  }

  private void takeTurns(
      ClusterSnapshot snapshot, Applicant applicant, Filtered filtered, long nowNanos) {
    List<String> unlike = new ArrayList<>();
    filtered.failed().forEach((name, why) -> addUnlike(name, why, unlike));
    filtered.unresolvable().forEach((name, why) -> addUnlike(name, why, unlike));
    if (filtered.passed().isEmpty() && !unlike.isEmpty()) {
      turns.refused(applicant, () -> best(snapshot, applicant, unlike), nowNanos);
    } else {
      turns.served(applicant.uid());
    }
  }

  private static void addUnlike(String name, Refusal why, List<String> unlike) {
    if (why == Refusal.UNLIKE) {
      unlike.add(name);
    }
  }

  private Optional<NodeName> best(
      ClusterSnapshot snapshot, Applicant applicant, List<String> names) {
    return names.stream()
        .flatMap(name -> node(snapshot, name).stream())
        .flatMap(node -> Preference.of(node, applicant, standard).stream())
        .min(Preference.order(applicant.policy()))
        .map(Preference::node);
  }
}
