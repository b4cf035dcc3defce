package io.gpumem.core.facts;

import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * What we keep of a node that has our plugin.
 *
 * @param cordoned devices that an admin took out of use for new pods
 * @param ready whether the kubelet reports to the API server
 */
public record NodeFacts(
    NodeName name,
    Inventory inventory,
    Set<DeviceUuid> cordoned,
    Allocations allocations,
    boolean ready) {

  public NodeFacts {
    cordoned = Collections.unmodifiableSet(new TreeSet<>(cordoned));
  }
}
