package io.gpumem.core.ledger;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.Units;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The books of one node: inventory and holdings, and what they leave. Immutable; safe for any
 * thread. It takes what the world shows and never refuses it: a device that is used beyond its
 * units shows that, with nothing free.
 */
public final class NodeLedger {

  private final NodeName node;
  private final Inventory inventory;
  private final Set<DeviceUuid> cordoned;
  private final Map<String, Holding> holdings;
  private final Map<DeviceUuid, Long> used;
  private final long unplaced;

  private NodeLedger(
      NodeName node, Inventory inventory, Set<DeviceUuid> cordoned, Map<String, Holding> holdings) {
    this.node = node;
    this.inventory = inventory;
    this.cordoned = cordoned;
    this.holdings = holdings;
    Map<DeviceUuid, Long> sums = new HashMap<>();
    long nowhere = 0;
    for (Holding holding : holdings.values()) {
      Units.add(sums, holding.allocated());
      Units.add(sums, holding.reserved());
      Units.add(sums, holding.surplus());
      nowhere = Units.sum(nowhere, holding.unplaced());
    }
    this.used = sums;
    this.unplaced = nowhere;
  }

  /** The books of a node with these holdings; of two holdings of one holder the last counts. */
  public static NodeLedger of(
      NodeName node, Inventory inventory, Set<DeviceUuid> cordoned, Collection<Holding> holdings) {
    Map<String, Holding> byHolder = new TreeMap<>();
    holdings.forEach(holding -> byHolder.put(holding.holder(), holding));
    return new NodeLedger(
        node, inventory, Set.copyOf(cordoned), Collections.unmodifiableMap(byHolder));
  }

  /** These books with one holding more, or another one of the same holder. */
  public NodeLedger with(Holding holding) {
    Map<String, Holding> more = new TreeMap<>(holdings);
    more.put(holding.holder(), holding);
    return new NodeLedger(node, inventory, cordoned, Collections.unmodifiableMap(more));
  }

  /** These books without what one holder holds; the same books when it holds nothing. */
  public NodeLedger without(String holder) {
    Map<String, Holding> less = new TreeMap<>(holdings);
    less.remove(holder);
    return new NodeLedger(node, inventory, cordoned, Collections.unmodifiableMap(less));
  }

  public NodeName node() {
    return node;
  }

  public Inventory inventory() {
    return inventory;
  }

  public Collection<Holding> holdings() {
    return holdings.values();
  }

  public Optional<Holding> holding(String holder) {
    return Optional.ofNullable(holdings.get(holder));
  }

  public boolean isCordoned(DeviceUuid device) {
    return cordoned.contains(device);
  }

  /** Units taken on a device, which can be more than it has; unplaced units are not in it. */
  public long used(DeviceUuid device) {
    return used.getOrDefault(device, 0L);
  }

  /** Units that are asked by pods of this node of which nobody knows the device yet. */
  public long unplaced() {
    return unplaced;
  }

  /**
   * Units of a device that nobody holds, plans or may turn out to hold: from 0 to the device's
   * units, whatever the world shows. 0 for a device that is not of this node.
   */
  public long free(DeviceUuid device) {
    return inventory.device(device).map(this::free).orElse(0L);
  }

  /** As {@link #free(DeviceUuid)}, for a device of this node's inventory. */
  public long free(Device device) {
    long taken = Units.sum(used(device.uuid()), unplaced);
    return Math.max(0, device.units() - taken);
  }

  /** Whether a new pod may be given units of a device: healthy, and not cordoned by an admin. */
  public boolean isOpen(Device device) {
    return device.health().isHealthy() && !isCordoned(device.uuid());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NodeLedger that
        && node.equals(that.node)
        && inventory.equals(that.inventory)
        && cordoned.equals(that.cordoned)
        && holdings.equals(that.holdings);
  }

  @Override
  public int hashCode() {
    return node.hashCode() * 31 + holdings.hashCode();
  }

  @Override
  public String toString() {
    return "NodeLedger[" + node + ", used=" + new TreeMap<>(used) + ", unplaced=" + unplaced + "]";
  }
}
