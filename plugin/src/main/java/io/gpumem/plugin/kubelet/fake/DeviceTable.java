package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.Device;
import io.gpumem.proto.deviceplugin.v1beta1.NUMANode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The kubelet's accounting of devices. Each method is one step under the table's lock, as the
 * kubelet's own mutex; the lock is never held while the plugin is called.
 *
 * <p>There are two books, and that they can disagree is the point. <em>booked</em> says which IDs
 * may not be picked, and takes a pick at once; <em>held</em> says which container has which IDs,
 * and learns it only after the plugin's answer. Whenever booked is made anew from held, the picks
 * of an Allocate in flight fall out and can be sold again. The kubelet does so, hence we do.
 */
final class DeviceTable {
  private static final String HEALTHY = "Healthy";

  private final Random random;
  private final Map<String, Map<String, Device>> known = new HashMap<>();
  private final Map<String, Set<String>> healthy = new HashMap<>();
  private final Map<String, Set<String>> unhealthy = new HashMap<>();
  private final Map<String, Set<String>> booked = new HashMap<>();

  /** By pod UID, container and resource. */
  private final Map<String, Map<String, Map<String, Allocation>>> held = new LinkedHashMap<>();

  DeviceTable(Random random, CheckpointData remembered) {
    this.random = random;
    for (CheckpointData.PodDevicesEntry entry : remembered.podDeviceEntries()) {
      hold(
          new Need(entry.podUid(), entry.containerName(), entry.resourceName(), 0),
          new Allocation(entry.deviceIds(), entry.allocateResponse()));
    }
    // Known by name, with no device: capacity stays 0 until the plugin registers again.
    for (String resource : remembered.registeredDevices().keySet()) {
      healthy.put(resource, new HashSet<>());
      unhealthy.put(resource, new HashSet<>());
    }
    rebook();
  }

  /** Takes a ListAndWatch message: the whole list of the resource, which replaces the last one. */
  synchronized void replaceDevices(String resource, Collection<Device> devices) {
    Map<String, Device> all = new HashMap<>();
    Set<String> good = new HashSet<>();
    Set<String> bad = new HashSet<>();
    for (Device device : devices) {
      all.put(device.getID(), device);
      (device.getHealth().equals(HEALTHY) ? good : bad).add(device.getID());
    }
    known.put(resource, all);
    healthy.put(resource, good);
    unhealthy.put(resource, bad);
  }

  /** The resource's plugin is gone: allocatable drops to 0, capacity stays. */
  synchronized void markUnhealthy(String resource) {
    Set<String> lost = healthy.getOrDefault(resource, Set.of());
    unhealthy.computeIfAbsent(resource, _ -> new HashSet<>()).addAll(lost);
    healthy.put(resource, new HashSet<>());
  }

  /** The plugin stayed away too long: the resource is no longer counted, what is held stays so. */
  synchronized void forget(String resource) {
    healthy.remove(resource);
    unhealthy.remove(resource);
  }

  /** Whether the kubelet takes the resource for a plugin's; of any other it allocates nothing. */
  synchronized boolean isPluginResource(String resource) {
    return healthy.containsKey(resource) || booked.containsKey(resource);
  }

  /** Drops what pods that are not active hold, and only then makes the bookings anew. */
  synchronized void removeInactive(Predicate<String> active) {
    if (held.keySet().removeIf(uid -> !active.test(uid))) {
      rebook();
    }
  }

  /** Makes the bookings anew from what is held; picks in flight fall out. */
  synchronized void rebook() {
    booked.clear();
    for (Map<String, Map<String, Allocation>> containers : held.values()) {
      for (Map<String, Allocation> resources : containers.values()) {
        resources.forEach(
            (resource, allocation) ->
                booked.computeIfAbsent(resource, _ -> new HashSet<>()).addAll(allocation.ids()));
      }
    }
  }

  /**
   * The choice up to the point where the plugin would be asked. Devices to reuse are taken first,
   * at random and without asking; if they suffice, the plugin is not asked at all.
   *
   * @param acceptUnchecked the container was seen running while the kubelet was starting
   */
  synchronized Selection select(Need need, Set<String> reusable, boolean acceptUnchecked) {
    Optional<Allocation> recorded = allocation(need);
    SortedSet<String> recordedIds = recorded.map(Allocation::ids).orElseGet(TreeSet::new);
    if (recorded.isPresent() && recordedIds.size() != need.units()) {
      return new Selection.Refused(
          "pod \"%s\" container \"%s\" changed request for resource \"%s\" from %d to %d"
              .formatted(
                  need.podUid(),
                  need.container(),
                  need.resource(),
                  recordedIds.size(),
                  need.units()));
    }
    if (acceptUnchecked) {
      return new Selection.Nothing();
    }
    Optional<String> ill = illness(need.resource(), recordedIds);
    if (ill.isPresent()) {
      return new Selection.Refused(ill.get());
    }
    if (recorded.isPresent() || need.units() == 0) {
      return new Selection.Nothing();
    }
    Set<String> taken = new LinkedHashSet<>();
    if (take(need, reusable, taken)) {
      return new Selection.Complete(taken);
    }
    Set<String> available = new HashSet<>(healthy.getOrDefault(need.resource(), Set.of()));
    available.removeAll(booked.getOrDefault(need.resource(), Set.of()));
    int missing = need.units() - taken.size();
    if (available.size() < missing) {
      return new Selection.Refused(
          "requested number of devices unavailable for %s. Requested: %d, Available: %d"
              .formatted(need.resource(), missing, available.size()));
    }
    return new Selection.Undecided(need, taken, available);
  }

  /**
   * The choice after the plugin was asked. Preferred IDs that were not available are ignored, too
   * many are cut and too few topped up at random. What was available is not looked at again.
   */
  synchronized Selection finish(Selection.Undecided undecided, Set<String> preferred) {
    Set<String> taken = new LinkedHashSet<>(undecided.taken());
    Set<String> wanted = new HashSet<>(preferred);
    wanted.retainAll(undecided.available());
    if (take(undecided.need(), wanted, taken)
        || take(undecided.need(), undecided.available(), taken)) {
      return new Selection.Complete(taken);
    }
    return new Selection.Refused(
        "unexpectedly allocated less resources than required. Requested: %d, Got: %d"
            .formatted(undecided.need().units(), taken.size()));
  }

  /** Books IDs at random until the need is met; says whether it is. */
  private boolean take(Need need, Set<String> from, Set<String> taken) {
    Set<String> bookings = booked.computeIfAbsent(need.resource(), _ -> new HashSet<>());
    for (String id : shuffled(from)) {
      if (taken.size() == need.units()) {
        return true;
      }
      if (taken.add(id)) {
        bookings.add(id);
      }
    }
    return taken.size() == need.units();
  }

  /** The checks that a recorded or new allocation must pass, in the kubelet's order and words. */
  private Optional<String> illness(String resource, Set<String> recorded) {
    Set<String> good = healthy.get(resource);
    if (good == null) {
      return Optional.of("cannot allocate unregistered device " + resource);
    }
    if (good.isEmpty()) {
      return Optional.of(
          "no healthy devices present; cannot allocate unhealthy devices " + resource);
    }
    if (!good.containsAll(recorded)) {
      return Optional.of(
          "previously allocated devices are no longer healthy; cannot allocate unhealthy devices "
              + resource);
    }
    return Optional.empty();
  }

  /**
   * Records what Allocate granted.
   *
   * @return the IDs that vanished from the list meanwhile; a real kubelet can crash on them
   */
  synchronized Set<String> record(Need need, Set<String> ids, ContainerAllocateResponse response) {
    Map<String, Device> devices = known.getOrDefault(need.resource(), Map.of());
    SortedMap<Long, SortedSet<String>> byNuma = new TreeMap<>();
    Set<String> vanished = new TreeSet<>();
    for (String id : ids) {
      Optional<Device> device = Optional.ofNullable(devices.get(id));
      if (device.isEmpty()) {
        vanished.add(id);
      }
      for (long node :
          device.map(DeviceTable::numaNodes).orElse(List.of(Allocation.NO_NUMA_NODE))) {
        byNuma.computeIfAbsent(node, _ -> new TreeSet<>()).add(id);
      }
    }
    hold(need, new Allocation(byNuma, response));
    return vanished;
  }

  private void hold(Need need, Allocation allocation) {
    held.computeIfAbsent(need.podUid(), _ -> new LinkedHashMap<>())
        .computeIfAbsent(need.container(), _ -> new LinkedHashMap<>())
        .put(need.resource(), allocation);
  }

  /** The NUMA nodes of a device, or the kubelet's own key for none. */
  static List<Long> numaNodes(Device device) {
    List<Long> nodes = device.getTopology().getNodesList().stream().map(NUMANode::getID).toList();
    return nodes.isEmpty() ? List.of(Allocation.NO_NUMA_NODE) : nodes;
  }

  private synchronized Optional<Allocation> allocation(Need need) {
    return Optional.ofNullable(allocations(need.podUid(), need.container()).get(need.resource()));
  }

  /** What the container holds, by resource. */
  synchronized Map<String, Allocation> allocations(String podUid, String container) {
    return new LinkedHashMap<>(
        held.getOrDefault(podUid, Map.of()).getOrDefault(container, Map.of()));
  }

  /** Healthy and all devices of each counted resource. */
  synchronized SortedMap<String, Quantity> quantities() {
    SortedMap<String, Quantity> quantities = new TreeMap<>();
    Set<String> resources = new TreeSet<>(healthy.keySet());
    resources.addAll(unhealthy.keySet());
    for (String resource : resources) {
      long good = healthy.getOrDefault(resource, Set.of()).size();
      long bad = unhealthy.getOrDefault(resource, Set.of()).size();
      quantities.put(resource, new Quantity(good + bad, good));
    }
    return quantities;
  }

  /** The healthy devices of every resource, held or not. */
  synchronized Map<String, List<Device>> healthyDevices() {
    Map<String, List<Device>> devices = new TreeMap<>();
    healthy.forEach(
        (resource, ids) -> devices.put(resource, List.copyOf(restricted(resource, ids).values())));
    return devices;
  }

  private Map<String, Device> restricted(String resource, Set<String> ids) {
    Map<String, Device> devices = new HashMap<>(known.getOrDefault(resource, Map.of()));
    devices.keySet().retainAll(ids);
    return devices;
  }

  synchronized Set<String> healthyIds(String resource) {
    return new TreeSet<>(healthy.getOrDefault(resource, Set.of()));
  }

  synchronized SortedSet<String> booked(String resource) {
    return new TreeSet<>(booked.getOrDefault(resource, Set.of()));
  }

  /** Who holds which IDs: pod UID, container, IDs of all resources. */
  synchronized SortedMap<String, SortedMap<String, SortedSet<String>>> holders() {
    SortedMap<String, SortedMap<String, SortedSet<String>>> holders = new TreeMap<>();
    held.forEach(
        (uid, containers) ->
            containers.forEach(
                (container, resources) ->
                    resources
                        .values()
                        .forEach(
                            allocation ->
                                holders
                                    .computeIfAbsent(uid, _ -> new TreeMap<>())
                                    .computeIfAbsent(container, _ -> new TreeSet<>())
                                    .addAll(allocation.ids()))));
    return holders;
  }

  synchronized CheckpointData checkpoint() {
    List<CheckpointData.PodDevicesEntry> entries = new ArrayList<>();
    held.forEach(
        (uid, containers) ->
            containers.forEach(
                (container, resources) ->
                    resources.forEach(
                        (resource, allocation) ->
                            entries.add(
                                new CheckpointData.PodDevicesEntry(
                                    uid,
                                    container,
                                    resource,
                                    allocation.idsByNuma(),
                                    allocation.response())))));
    SortedMap<String, SortedSet<String>> registered = new TreeMap<>();
    healthy.forEach((resource, ids) -> registered.put(resource, new TreeSet<>(ids)));
    return new CheckpointData(entries, registered);
  }

  /** In random order, and the same one for the same seed, whatever order the set has. */
  private List<String> shuffled(Set<String> ids) {
    List<String> list = new ArrayList<>(new TreeSet<>(ids));
    Collections.shuffle(list, random);
    return list;
  }
}
