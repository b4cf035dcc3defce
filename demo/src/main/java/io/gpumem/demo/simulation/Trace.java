package io.gpumem.demo.simulation;

import io.gpumem.platform.time.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What happened, line by line: the same seed gives the same lines. */
final class Trace {

  private static final double NANOS_PER_SECOND = 1e9;

  private final Time time;
  private final List<String> lines = new ArrayList<>();

  Trace(Time time) {
    this.time = time;
  }

  void note(String who, String what) {
    double seconds = time.monotonicNanos() / NANOS_PER_SECOND;
    lines.add(String.format(Locale.ROOT, "%9.3f  %-10s  %s", seconds, who, what));
  }

  List<String> lines() {
    return List.copyOf(lines);
  }
}
