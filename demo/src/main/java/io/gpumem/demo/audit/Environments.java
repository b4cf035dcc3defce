package io.gpumem.demo.audit;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.Memory;
import io.gpumem.demo.world.PlayedNode;
import io.gpumem.demo.world.PodState;
import io.gpumem.plugin.kubelet.fake.ContainerView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Whether each running container sees exactly the devices of its IDs, and its amount. */
final class Environments {

  private Environments() {}

  static List<String> differences(
      PlayedNode node, List<PodState> pods, KubeletTable table, Memory unit) {
    List<String> differences = new ArrayList<>();
    for (PodState pod : pods) {
      if (!pod.node().equals(node.name()) || !pod.isRunning()) {
        continue;
      }
      SortedMap<String, List<DeviceId>> held =
          table.pods().getOrDefault(pod.uid(), new TreeMap<>());
      List<ContainerView> views = node.views(pod.uid()).orElse(List.of());
      if (held.isEmpty() || views.isEmpty()) {
        differences.add(pod.name() + " runs without GPU memory");
      }
      for (ContainerView view : views) {
        List<DeviceId> ids = held.getOrDefault(view.container(), List.of());
        compare(pod, view, ids, unit, differences);
      }
    }
    return differences;
  }

  private static void compare(
      PodState pod, ContainerView view, List<DeviceId> ids, Memory unit, List<String> to) {
    TreeSet<String> devices = new TreeSet<>();
    ids.forEach(id -> devices.add(id.device().text()));
    String mib = Long.toString(ids.size() * unit.mib());
    Map<String, String> wanted =
        Map.of("NVIDIA_VISIBLE_DEVICES", String.join(",", devices), "NVIDIA_GPU_MEMORY_LIMIT", mib);
    wanted.forEach(
        (name, value) -> {
          String found = view.envs().getOrDefault(name, "");
          if (!found.equals(value)) {
            to.add(
                "%s/%s: %s is \"%s\", its IDs say \"%s\""
                    .formatted(pod.name(), view.container(), name, found, value));
          }
        });
    if (devices.size() != 1) {
      to.add(pod.name() + "/" + view.container() + " holds " + devices.size() + " devices");
    }
  }
}
