package io.gpumem.demo.scenario;

import io.gpumem.demo.audit.Audit;
import io.gpumem.demo.audit.DeviceLine;

/** The last thing that is shown: one line a device. */
final class EndTable {

  private static final String FORM = "  %-7s %-6s %-22s %6s %10s %8s  %s";

  private EndTable() {}

  static void print(Audit audit, Console console) {
    console.plain("");
    console.plain(
        FORM.formatted("node", "device", "model", "units", "published", "kubelet", "equal"));
    for (DeviceLine line : audit.lines()) {
      console.plain(
          FORM.formatted(
              line.node(),
              line.device(),
              line.model(),
              line.units(),
              line.published(),
              line.given(),
              line.isEqual() ? "yes" : "NO"));
    }
  }
}
