package io.gpumem.demo.audit;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Units;
import io.gpumem.core.wire.AllocationsCodec;
import io.gpumem.core.wire.InventoryCodec;
import io.gpumem.core.wire.Keys;
import io.gpumem.demo.world.PlayedCluster;
import io.gpumem.demo.world.PlayedNode;
import io.gpumem.demo.world.PodState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Compares the published books with the kubelets' own tables, which know ordinary init containers
 * too, and each running container's environment with the device IDs it holds. It reads once; who
 * waits for the books to settle asks again.
 *
 * @param lines one a device
 * @param differences what is not as it must be, in sentences; none is the aim
 * @param containers how many running containers with GPU memory were looked at
 */
public record Audit(List<DeviceLine> lines, List<String> differences, int containers) {

  public Audit {
    lines = List.copyOf(lines);
    differences = List.copyOf(differences);
  }

  /** The state of the cluster now. */
  public static Audit of(PlayedCluster cluster) {
    List<DeviceLine> lines = new ArrayList<>();
    List<String> differences = new ArrayList<>();
    List<PodState> pods = cluster.pods();
    int containers = 0;
    for (PlayedNode node : cluster.nodes()) {
      Keys keys = cluster.keys();
      Inventory inventory =
          InventoryCodec.decode(cluster.annotation(node.name(), keys.devices()))
              .understood()
              .orElse(Inventory.EMPTY);
      Optional<Allocations> allocations =
          AllocationsCodec.decode(cluster.annotation(node.name(), keys.allocations())).understood();
      if (inventory.devices().isEmpty() || allocations.isEmpty()) {
        differences.add(node.name() + " has published no readable books");
      }
      KubeletTable table = KubeletTable.of(node, pods);
      differences.addAll(table.differences());
      differences.addAll(Environments.differences(node, pods, table, inventory.unit()));
      containers += table.containers();
      Map<DeviceUuid, Long> published = used(allocations.orElse(Allocations.NONE));
      for (Device device : inventory.devices()) {
        lines.add(line(node, device, published, table));
      }
    }
    lines.forEach(line -> problem(line).ifPresent(differences::add));
    return new Audit(lines, differences, containers);
  }

  private static DeviceLine line(
      PlayedNode node, Device device, Map<DeviceUuid, Long> published, KubeletTable table) {
    return new DeviceLine(
        node.name(),
        (device.mig().isPresent() ? "MIG" : "GPU") + device.index(),
        device.model() + device.mig().map(mig -> " " + mig.profile()).orElse(""),
        device.units(),
        published.getOrDefault(device.uuid(), 0L),
        table.units(device.uuid()));
  }

  private static Optional<String> problem(DeviceLine line) {
    String where = line.node() + " " + line.device();
    if (!line.isEqual()) {
      return Optional.of(
          "%s: published %d units, the kubelet gave %d"
              .formatted(where, line.published(), line.given()));
    }
    return line.given() > line.units()
        ? Optional.of("%s: %d of %d units".formatted(where, line.given(), line.units()))
        : Optional.empty();
  }

  private static Map<DeviceUuid, Long> used(Allocations allocations) {
    Map<DeviceUuid, Long> used = new TreeMap<>();
    allocations
        .pods()
        .values()
        .forEach(
            pod -> {
              Units.add(used, pod.shown());
              Units.add(used, pod.init());
            });
    allocations.names().values().forEach(devices -> Units.add(used, devices));
    return used;
  }

  /** Container to IDs of one pod, those of our form. */
  static SortedMap<String, List<DeviceId>> ids(SortedMap<String, SortedSet<String>> containers) {
    SortedMap<String, List<DeviceId>> ids = new TreeMap<>();
    containers.forEach(
        (container, texts) ->
            ids.put(
                container, texts.stream().flatMap(text -> DeviceId.parse(text).stream()).toList()));
    return ids;
  }
}
