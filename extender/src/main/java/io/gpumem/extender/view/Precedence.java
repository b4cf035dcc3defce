package io.gpumem.extender.view;

import io.gpumem.core.facts.PodFacts;
import java.util.Comparator;

/** Which of two waiting pods is served first: priority, then age, then UID; never a tie. */
public final class Precedence {

  /** The older first, then by UID. */
  static final Comparator<PodFacts> AGE =
      Comparator.comparingLong(PodFacts::createdMillis).thenComparing(PodFacts::uid);

  /** The first to be served comes first. */
  public static final Comparator<PodFacts> ORDER =
      Comparator.comparingInt(PodFacts::priority).reversed().thenComparing(AGE);

  private Precedence() {}

  /** Whether one pod is strictly ahead of another; no pod is ahead of itself. */
  public static boolean isAhead(PodFacts one, PodFacts other) {
    return ORDER.compare(one, other) < 0;
  }
}
