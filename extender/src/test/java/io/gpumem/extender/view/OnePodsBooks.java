package io.gpumem.extender.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.Discrepancy;
import io.gpumem.core.ledger.Holding;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Units;
import java.util.Map;
import java.util.TreeMap;

/** What must hold of books whatever any text says. */
final class OnePodsBooks {

  /** What a holder takes: in sum, and what the kubelet has given. */
  private record Amounts(long total, Map<DeviceUuid, Long> allocated) {}

  private OnePodsBooks() {}

  /** No device is free below nothing or beyond itself, and no pod counts for less than it asks. */
  static void hold(ClusterSnapshot snapshot) {
    for (NodeView node : snapshot.nodes()) {
      for (Device device : node.facts().inventory().devices()) {
        long free = node.ledger().free(device);
        assertTrue(free >= 0 && free <= device.units(), () -> device + " has free " + free);
      }
      assertTrue(node.room().total() >= node.room().openSum() && node.room().openSum() >= 0);
      for (PodFacts pod : node.pods()) {
        Holding holding = node.ledger().holding("uid:" + pod.uid()).orElseThrow();
        assertTrue(
            total(holding) >= pod.demand().footprint() || isWithoutDevice(node.books(), pod),
            () -> pod.name() + " counts for " + holding);
      }
    }
  }

  private static boolean isWithoutDevice(NodeBooks books, PodFacts pod) {
    return books
        .discrepancies()
        .contains(new Discrepancy(Discrepancy.Kind.POD_WITHOUT_DEVICE, pod.name().toString()));
  }

  private static long total(Holding holding) {
    return Units.sum(Units.total(holding.devices()), holding.unplaced());
  }

  /** A plan says where and never how much, and nothing of what the kubelet has given. */
  static void sameAmounts(NodeBooks before, NodeBooks after) {
    assertEquals(amounts(before), amounts(after));
  }

  /** As {@link #sameAmounts}, but for one pod. */
  static void sameAmountsBut(PodUid uid, NodeBooks before, NodeBooks after) {
    Map<String, Amounts> one = amounts(before);
    Map<String, Amounts> other = amounts(after);
    one.remove("uid:" + uid);
    other.remove("uid:" + uid);
    assertEquals(one, other);
  }

  private static Map<String, Amounts> amounts(NodeBooks books) {
    Map<String, Amounts> amounts = new TreeMap<>();
    for (Holding holding : books.ledger().holdings()) {
      amounts.put(holding.holder(), new Amounts(total(holding), holding.allocated()));
    }
    return amounts;
  }
}
