package io.gpumem.demo.hardware;

import java.util.ArrayList;
import java.util.List;

/** What was claimed, and whether it held: the table at the end. For one thread. */
final class Checks {

  private record Check(String claim, boolean held, String seen) {

    String row() {
      return "| %s | %s | %s |".formatted(claim, held ? "held" : "**FAILED**", seen);
    }
  }

  private final List<Check> checks = new ArrayList<>();

  /**
   * Notes a claim.
   *
   * @param seen what it was judged by
   */
  void add(String claim, boolean held, String seen) {
    checks.add(new Check(claim, held, seen));
  }

  /** Notes that what was seen must equal what was wanted. */
  void equal(String claim, Object wanted, Object seen) {
    boolean held = wanted.equals(seen);
    add(claim, held, held ? seen.toString() : seen + ", wanted " + wanted);
  }

  /** Whether something was claimed and all of it held. */
  boolean allHeld() {
    return !checks.isEmpty() && checks.stream().allMatch(Check::held);
  }

  /** As a table in Markdown. */
  List<String> table() {
    List<String> lines = new ArrayList<>(List.of("| claim | | seen |", "|---|---|---|"));
    checks.stream().map(Check::row).forEach(lines::add);
    return lines;
  }
}
