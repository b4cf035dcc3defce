package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceId;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** One container's part of a preferred call, and what an answer to it must be. */
final class JudgedChoice {

  private final List<String> available;
  private final Set<String> offered;
  private final Set<String> must;
  private final int size;
  private final Inventory inventory;

  JudgedChoice(ContainerPreferredAllocationRequest request, Inventory inventory) {
    this.available = request.getAvailableDeviceIDsList();
    this.offered = new HashSet<>(available);
    this.must = new HashSet<>(request.getMustIncludeDeviceIDsList());
    this.size = request.getAllocationSize();
    this.inventory = inventory;
  }

  private boolean isWellFormed() {
    return offered.size() == available.size()
        && offered.containsAll(must)
        && must.size() <= size
        && size >= 0
        && size <= offered.size();
  }

  void judge(List<String> ids) {
    Set<String> distinct = new HashSet<>(ids);
    assertEquals(distinct.size(), ids.size(), "each ID once");
    assertTrue(ids.size() <= Math.max(0, size), "no more than asked");
    assertTrue(ids.stream().allMatch(id -> offered.contains(id) || must.contains(id)), "offered");
    if (isWellFormed()) {
      assertEquals(size, ids.size(), "as many as asked");
      assertTrue(distinct.containsAll(must), "with all that must be");
    }
    if (isWellFormed() && must.isEmpty() && size > 0 && onOne(offered) >= size) {
      assertEquals(1, devices(distinct).size(), () -> "on one device: " + ids);
    }
  }

  /** The most IDs that one device of the node has among these. */
  private long onOne(Set<String> ids) {
    return devices(ids).values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  private Map<String, Long> devices(Set<String> ids) {
    return ids.stream()
        .flatMap(text -> DeviceId.parse(text).stream())
        .filter(id -> inventory.has(id.device()))
        .collect(
            Collectors.groupingBy(id -> id.device().text(), HashMap::new, Collectors.counting()));
  }
}
