package io.gpumem.demo.hardware;

import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.wire.InventoryCodec;
import io.gpumem.demo.world.PlayedCluster;
import io.gpumem.demo.world.PlayedNode;
import io.gpumem.plugin.kubelet.fake.ContainerView;
import io.gpumem.plugin.kubelet.fake.ListMessage;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What the outer world got from the plugin: the kubelet's side and the API server's. */
record HardwareNode(PlayedCluster cluster, PlayedNode node) {

  /** What was last advertised to the kubelet: device to its healthy units. */
  SortedMap<String, Integer> advertised() {
    List<ListMessage> lists = node.kubelet().lists();
    SortedMap<String, Integer> units = new TreeMap<>();
    if (!lists.isEmpty()) {
      lists.getLast().message().getDevicesList().stream()
          .filter(unit -> unit.getHealth().equals("Healthy"))
          .flatMap(unit -> DeviceId.parse(unit.getID()).stream())
          .forEach(id -> units.merge(id.device().text(), 1, Integer::sum));
    }
    return units;
  }

  /** The annotation about devices as it is published; empty before the first time. */
  String annotation() {
    return cluster.annotation(node.name(), cluster.keys().devices()).orElse("");
  }

  /** The same, read as the extender reads it. */
  Inventory published() {
    return InventoryCodec.decode(cluster.annotation(node.name(), cluster.keys().devices()))
        .understood()
        .orElse(Inventory.EMPTY);
  }

  /** The device nodes of an answer. */
  static List<DevPlan.Node> nodes(ContainerView answer) {
    return answer.devices().stream()
        .map(
            spec ->
                new DevPlan.Node(
                    spec.getHostPath(), spec.getContainerPath(), spec.getPermissions()))
        .toList();
  }

  /** The devices of which a running pod holds units, by the kubelet's own table. */
  Map<String, Long> held(String podUid) {
    Map<String, Long> held = new TreeMap<>();
    node.kubelet()
        .table()
        .getOrDefault(podUid, new TreeMap<>())
        .values()
        .forEach(
            ids ->
                ids.stream()
                    .flatMap(id -> DeviceId.parse(id).stream())
                    .forEach(id -> held.merge(id.device().text(), 1L, Long::sum)));
    return held;
  }
}
