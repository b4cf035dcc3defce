package io.gpumem.plugin.kubelet;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.Memory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses a unit so small that the kubelet could not bear the list. The kubelet's client takes 4
 * MiB a message and has no setting for it: a longer list breaks the stream, and the node shows no
 * GPU memory while everything seems to run. Each ID is also copied into the kubelet's checkpoint at
 * every allocation and, from Kubernetes 1.36, into the pod's status.
 */
public final class UnitGuard {

  /** Three quarters of what the kubelet's gRPC client takes. */
  static final int MOST_BYTES = 3 << 20;

  /** Where the kubelet's own costs per ID begin to show (k8s devicemanager, checkpoint writes). */
  static final int MOST_IDS = 5_000;

  private UnitGuard() {}

  /** Why these devices can't be sold in their unit; empty when they can. */
  public static Optional<String> problem(Inventory inventory, boolean numaHints) {
    if (isBearable(inventory, numaHints)) {
      return Optional.empty();
    }
    long units = inventory.units();
    return Optional.of(
        "a unit of "
            + inventory.unit()
            + " makes "
            + units
            + " device IDs on this node; the limit is "
            + MOST_IDS
            + " IDs and a list of "
            + (MOST_BYTES >> 20)
            + " MiB. The smallest unit that works here is "
            + smallestUnit(inventory, numaHints).mib()
            + "Mi: set --unit to that or more");
  }

  /** Whether the kubelet bears the list of these devices. */
  public static boolean isBearable(Inventory inventory, boolean numaHints) {
    return inventory.units() <= MOST_IDS
        && DeviceList.of(inventory, Set.of(), numaHints).getSerializedSize() <= MOST_BYTES;
  }

  private static Memory smallestUnit(Inventory inventory, boolean numaHints) {
    long tooSmall = inventory.unit().mib();
    long works = Math.max(tooSmall * 2, 1024);
    while (!isBearable(inUnits(inventory, Memory.ofMib(works)), numaHints)) {
      works = Math.multiplyExact(works, 2);
    }
    while (works - tooSmall > 1) {
      long middle = (works + tooSmall) / 2;
      if (isBearable(inUnits(inventory, Memory.ofMib(middle)), numaHints)) {
        works = middle;
      } else {
        tooSmall = middle;
      }
    }
    return Memory.ofMib(works);
  }

  private static Inventory inUnits(Inventory inventory, Memory unit) {
    List<Device> devices = new ArrayList<>();
    for (Device device : inventory.devices()) {
      devices.add(
          new Device(
              device.uuid(),
              device.index(),
              device.model(),
              device.mig(),
              device.memory(),
              device.usable(),
              device.usable().units(unit),
              device.numa(),
              device.health()));
    }
    return new Inventory(unit, devices);
  }
}
