package io.gpumem.extender.verdict;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.placement.Ranking;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.extender.view.NodeView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which of the nodes that passed is best. Under binpack the node where the least stays free on the
 * device that is used, and of those the fuller node; under spread the reverse. Pure; safe from any
 * thread.
 */
public final class Prioritize {

  /** For nodes where the pod does not fit, or that nobody can judge. */
  private static final int NONE = 0;

  private final Policy standard;

  /**
   * @param standard the policy of pods that name none
   */
  public Prioritize(Policy standard) {
    this.standard = standard;
  }

  /** A score from 0 to 10 for every name, in the order of the request. */
  public Map<String, Integer> scores(ClusterSnapshot snapshot, PodFacts pod, List<String> names) {
    Map<String, Integer> scores = indifferent(names);
    if (!pod.demand().isNone()) {
      Applicant.of(snapshot, pod, standard).ifPresent(fit -> rank(snapshot, fit, scores));
    }
    return scores;
  }

  /** For a pod to which all nodes are alike. */
  public static Map<String, Integer> indifferent(List<String> names) {
    Map<String, Integer> scores = new LinkedHashMap<>();
    names.forEach(name -> scores.put(name, NONE));
    return scores;
  }

  private void rank(ClusterSnapshot snapshot, Applicant applicant, Map<String, Integer> scores) {
    List<Preference> fitting = new ArrayList<>();
    for (String name : scores.keySet()) {
      Optional<NodeView> node = Filter.node(snapshot, name);
      node.flatMap(view -> Preference.of(view, applicant, standard)).ifPresent(fitting::add);
    }
    Comparator<Preference> order = Preference.order(applicant.policy());
    fitting.sort(order);
    Map<Preference, Integer> rank = new HashMap<>();
    for (int i = 0; i < fitting.size(); i++) {
      boolean tie = i > 0 && order.compare(fitting.get(i - 1), fitting.get(i)) == 0;
      rank.put(fitting.get(i), tie ? rank.getOrDefault(fitting.get(i - 1), 0) : i);
    }
    Ranking.scores(fitting, each -> rank.getOrDefault(each, 0))
        .forEach((each, score) -> scores.put(each.node().text(), score));
  }
}
