package io.gpumem.demo.hardware;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** What was claimed and whether it held, printed as it comes and once more at the end. */
final class Checks {

  private record Check(String claim, boolean held) {}

  private final PrintStream out;
  private final List<Check> checks = new ArrayList<>();

  Checks(PrintStream out) {
    this.out = out;
  }

  void step(String title) {
    out.println();
    out.println("== " + title);
  }

  void say(String text) {
    text.lines().forEach(line -> out.println("   " + line));
  }

  void check(String claim, boolean held) {
    checks.add(new Check(claim, held));
    out.println((held ? "   ok      " : "   FAILED  ") + claim);
  }

  /** Whether everything held, and something was claimed. */
  boolean summary() {
    step("Summary");
    checks.forEach(
        each -> out.println((each.held() ? "   ok      " : "   FAILED  ") + each.claim()));
    return !checks.isEmpty() && checks.stream().allMatch(Check::held);
  }
}
