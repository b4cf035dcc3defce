package io.gpumem.demo.scenario;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What people read: short lines, the time since the start in front. For one thread. */
public final class Console {

  /** Two columns of a split terminal still show it whole. */
  private static final int WIDTH = 88;

  private static final String INDENT = " ".repeat(9);
  private static final double NANOS_PER_SECOND = 1e9;

  private final PrintStream out;
  private final long start = System.nanoTime();

  public Console(PrintStream out) {
    this.out = out;
  }

  /** A step of the story: an empty line before it. */
  public void step(String text) {
    out.println();
    timed(text);
  }

  /** A line of the story, with the time. */
  public void say(String text) {
    timed("   " + text);
  }

  /** A line without the time. */
  public void plain(String text) {
    out.println(text);
  }

  private void timed(String text) {
    List<String> lines = wrapped(text);
    out.printf(Locale.ROOT, "%5.1f s  %s%n", seconds(), lines.getFirst());
    lines.stream().skip(1).forEach(line -> out.println(INDENT + line));
    out.flush();
  }

  private double seconds() {
    return (System.nanoTime() - start) / NANOS_PER_SECOND;
  }

  /** Breaks at spaces; what follows is as far in as the text, and two more. */
  private static List<String> wrapped(String text) {
    String margin = " ".repeat(text.length() - text.stripLeading().length());
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder(margin);
    for (String word : text.strip().split(" ", -1)) {
      boolean first = line.toString().isBlank();
      if (!first && line.length() + 1 + word.length() > WIDTH - INDENT.length()) {
        lines.add(line.toString());
        line = new StringBuilder(margin).append("  ");
        first = true;
      }
      line.append(first ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }
}
