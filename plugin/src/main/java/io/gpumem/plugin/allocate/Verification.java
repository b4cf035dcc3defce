package io.gpumem.plugin.allocate;

import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * The veto: whether a set of IDs that the kubelet chose may be given to a container. It fails
 * closed on a set from several devices, and is the second guard against an ID that the kubelet
 * sells twice (a List by anybody during an Allocate drops the picks in flight; a corrupt checkpoint
 * empties its table).
 */
final class Verification {

  private Verification() {}

  /**
   * Rules on one container's IDs.
   *
   * @param offered the IDs that the kubelet offered as free in the preferred call before; IDs
   *     outside it are a pod's own from an init container, and never suspect
   */
  static Ruling rule(Situation situation, List<String> ids, Set<DeviceId> offered) {
    Set<DeviceId> parsed = new HashSet<>();
    for (String text : ids) {
      Optional<DeviceId> id = DeviceId.parse(text).filter(known -> isKnown(situation, known));
      if (id.isEmpty()) {
        return new Ruling.Refused("\"" + text + "\" is no device ID of this node");
      }
      parsed.add(id.get());
    }
    if (parsed.isEmpty()) {
      return new Ruling.Refused("no device IDs were given");
    }
    Map<DeviceUuid, Long> devices = new TreeMap<>(Table.count(parsed));
    Optional<String> wrong = unhealthy(situation, devices).or(() -> mixed(situation, devices));
    if (wrong.isPresent()) {
      return new Ruling.Refused(wrong.get());
    }
    Map<PodName, Set<DeviceId>> suspects = suspects(situation, parsed, offered);
    return suspects.isEmpty() ? new Ruling.Granted(devices) : new Ruling.Ask(suspects);
  }

  private static boolean isKnown(Situation situation, DeviceId id) {
    return situation
        .inventory()
        .device(id.device())
        .map(device -> id.number() < device.units())
        .orElse(false);
  }

  /** The device's own health counts: held IDs of a bad device are still listed as healthy. */
  private static Optional<String> unhealthy(Situation situation, Map<DeviceUuid, Long> devices) {
    for (DeviceUuid uuid : devices.keySet()) {
      Optional<Device> device = situation.inventory().device(uuid);
      if (device.isPresent() && device.get().health() instanceof Health.Unhealthy(String why)) {
        return Optional.of("device " + uuid + " is unhealthy: " + why);
      }
    }
    return Optional.empty();
  }

  private static Optional<String> mixed(Situation situation, Map<DeviceUuid, Long> devices) {
    if (devices.size() == 1) {
      return Optional.empty();
    }
    long units = devices.values().stream().mapToLong(Long::longValue).sum();
    for (Outstanding each : situation.outstanding()) {
      OptionalLong share = Reservation.share(units, devices.size());
      boolean optedIn =
          each.likeness().units() == units
              && each.likeness().devices() == devices.size()
              && each.likeness().admissible().containsAll(devices.keySet());
      if (optedIn
          && share.isPresent()
          && devices.values().stream().allMatch(part -> part == share.getAsLong())) {
        return Optional.empty();
      }
    }
    return Optional.of(
        "the kubelet chose units of several devices for one container, which needs them on one: "
            + devices);
  }

  private static Map<PodName, Set<DeviceId>> suspects(
      Situation situation, Set<DeviceId> ids, Set<DeviceId> offered) {
    boolean ownLost =
        situation.onlyLost(ids.size()).map(lost -> lost.ids().equals(ids)).orElse(false);
    if (ownLost) {
      return Map.of();
    }
    Map<PodName, Set<DeviceId>> suspects = new HashMap<>();
    for (DeviceId id : ids) {
      if (offered.contains(id)) {
        for (PodName holder : possibleHolders(situation, id)) {
          suspects.computeIfAbsent(holder, name -> new HashSet<>()).add(id);
        }
      }
    }
    return suspects;
  }

  /** Who may hold an ID: the one it was shown under, else any pod whose call we answered unseen. */
  private static List<PodName> possibleHolders(Situation situation, DeviceId id) {
    if (!situation.holders().containsKey(id)) {
      return List.of();
    }
    Optional<PodName> shown = situation.holders().getOrDefault(id, Optional.empty());
    return shown.map(List::of).orElseGet(() -> new ArrayList<>(situation.unseen()));
  }
}
