package io.gpumem.extender.verdict;

import io.gpumem.core.placement.Refusal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What filter answers. Each name of the request is in exactly one of the three, and no other is.
 *
 * @param passed in the order of the request
 * @param failed refused, but evicting pods could help
 * @param unresolvable refused, and evicting by sums can't help
 */
public record Filtered(
    List<String> passed, Map<String, Refusal> failed, Map<String, Refusal> unresolvable) {

  /** For a pod that asks nothing of ours: it may go anywhere, unknown nodes included. */
  public static Filtered allPass(List<String> names) {
    return new Filtered(names, Map.of(), Map.of());
  }

  /** How often each reason was given. */
  public Map<Refusal, Integer> reasons() {
    Map<Refusal, Integer> reasons = new EnumMap<>(Refusal.class);
    failed.values().forEach(each -> reasons.merge(each, 1, Integer::sum));
    unresolvable.values().forEach(each -> reasons.merge(each, 1, Integer::sum));
    return reasons;
  }
}
