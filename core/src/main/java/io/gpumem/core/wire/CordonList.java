package io.gpumem.core.wire;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The node annotation {@code <resource>.cordon}, written by an admin: display indexes or UUIDs of
 * devices that get no new pods, separated by commas.
 *
 * @param devices the devices meant, of this node
 * @param unknown the words that mean no device of this node
 */
public record CordonList(Set<DeviceUuid> devices, List<String> unknown) {

  public CordonList {
    devices = Collections.unmodifiableSet(new TreeSet<>(devices));
    unknown = List.copyOf(unknown);
  }

  public static CordonList parse(Optional<String> text, Inventory inventory) {
    Set<DeviceUuid> devices = new TreeSet<>();
    List<String> unknown = new ArrayList<>();
    for (String word : text.orElse("").split(",", -1)) {
      String name = word.strip();
      if (name.isEmpty()) {
        continue;
      }
      Optional<Device> device =
          inventory.devices().stream()
              .filter(
                  each ->
                      each.uuid().text().equals(name)
                          || Integer.toString(each.index()).equals(name))
              .findFirst();
      device.ifPresentOrElse(found -> devices.add(found.uuid()), () -> unknown.add(name));
    }
    return new CordonList(devices, unknown);
  }
}
