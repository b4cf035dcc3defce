package io.gpumem.platform.fuzz.fake;

import java.util.Map;
import java.util.TreeMap;

/** How many runs came to what. One thread. */
public final class Tally {

  private static final double PERCENT = 100;

  private final Map<String, Long> counts = new TreeMap<>();
  private long runs;
  private long deep;

  void count(Fuzz.Outcome outcome) {
    counts.merge(outcome.kind(), 1L, Long::sum);
    runs++;
    deep += outcome.isDeep() ? 1 : 0;
  }

  public long runs() {
    return runs;
  }

  /** How many of a hundred runs got past the parser. */
  public double deepPercent() {
    return runs == 0 ? 0 : PERCENT * deep / runs;
  }

  /** How many runs came to this. */
  public long of(String kind) {
    return counts.getOrDefault(kind, 0L);
  }

  /** A table for people. */
  @Override
  public String toString() {
    var lines = new StringBuilder();
    lines.append("%,d runs, %.1f %% past the parser%n".formatted(runs, deepPercent()));
    counts.forEach((kind, count) -> lines.append("%,12d  %s%n".formatted(count, kind)));
    return lines.toString();
  }
}
