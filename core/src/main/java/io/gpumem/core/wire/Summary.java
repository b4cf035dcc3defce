package io.gpumem.core.wire;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.ledger.NodeLedger;
import java.util.StringJoiner;

/** The node annotation {@code <resource>.summary}: one line for who reads describe node. */
public final class Summary {

  private Summary() {}

  /** {@code GPU0 NVIDIA H200 84/139 used · GPU1 NVIDIA H200 0/139 used}. */
  public static String of(NodeLedger ledger) {
    StringJoiner line = new StringJoiner(" · ");
    for (Device device : ledger.inventory().devices()) {
      StringBuilder part = new StringBuilder();
      part.append(device.mig().isPresent() ? "MIG" : "GPU").append(device.index()).append(' ');
      part.append(device.model()).append(' ');
      part.append(ledger.used(device.uuid())).append('/').append(device.units()).append(" used");
      if (device.health() instanceof Health.Unhealthy(String why)) {
        part.append(" (unhealthy: ").append(why).append(')');
      }
      if (ledger.isCordoned(device.uuid())) {
        part.append(" (cordoned)");
      }
      line.add(part);
    }
    return line.length() == 0 ? "no GPU" : line.toString();
  }
}
