package io.gpumem.core.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Turns costs into the scheduler's scores of 0 to 10.
 *
 * <p>Scores are ranks: the best node gets 10, the next distinct cost 9, and so on. kube-scheduler
 * takes only the maximum, so nothing is lost by it, while a linear scale lets one bad outlier press
 * all good nodes into one score, and equal scores are then broken at random.
 */
public final class Ranking {

  public static final int BEST = 10;

  private Ranking() {}

  /** A score for every candidate; the lower the cost the higher the score, equal costs alike. */
  public static <N> Map<N, Integer> scores(List<N> candidates, ToLongFunction<N> cost) {
    List<N> sorted = new ArrayList<>(candidates);
    sorted.sort(Comparator.comparingLong(cost));
    Map<N, Integer> scores = new LinkedHashMap<>();
    int score = BEST;
    long previous = 0;
    for (int i = 0; i < sorted.size(); i++) {
      long current = cost.applyAsLong(sorted.get(i));
      if (i > 0 && current != previous) {
        score = Math.max(0, score - 1);
      }
      previous = current;
      scores.put(sorted.get(i), score);
    }
    return scores;
  }
}
