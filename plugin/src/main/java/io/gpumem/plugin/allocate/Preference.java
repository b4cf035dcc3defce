package io.gpumem.plugin.allocate;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Answers GetPreferredAllocation: which IDs a container should get.
 *
 * <p><b>Goals.</b> One device whenever that is possible; the device that the extender planned; no
 * ID that may still be another's. <b>Constraints.</b> Exactly the asked number of distinct IDs, all
 * from the offered ones and all of the prescribed ones among them: the kubelet fills a short answer
 * up and cuts a long one at random. Never an error, which would leak bookings in the kubelet; the
 * veto is in Allocate. <b>Algorithm.</b> The first of these that gives enough IDs: the device of
 * the prescribed IDs; the IDs that a running pod lost; the devices of the first outstanding
 * reservation of this size; the fullest device with room that is not reserved for others; any one
 * device; all.
 */
final class Preference {

  /** What an answer stands on, from best to worst. */
  enum Basis {
    REUSE,
    LOST,
    RESERVED,
    PLACED,
    LEFT_OVER,
    MIXED
  }

  record Choice(List<String> ids, Basis basis) {}

  private final Situation situation;
  private final PreferredCall call;
  private final Map<DeviceUuid, List<DeviceId>> offered = new TreeMap<>();

  private Preference(Situation situation, PreferredCall call) {
    this.situation = situation;
    this.call = call;
    for (String text : new LinkedHashSet<>(call.available())) {
      DeviceId.parse(text)
          .filter(id -> situation.inventory().has(id.device()))
          .ifPresent(id -> offered.computeIfAbsent(id.device(), d -> new ArrayList<>()).add(id));
    }
    Comparator<DeviceId> unheldFirst =
        Comparator.<DeviceId, Boolean>comparing(situation::isHeld)
            .thenComparing(Comparator.naturalOrder());
    offered.values().forEach(ids -> ids.sort(unheldFirst));
  }

  static Choice choose(Situation situation, PreferredCall call) {
    return new Preference(situation, call).choice();
  }

  /**
   * Whether a reservation says what this call should get. A lost allocation does not: another pod
   * of that size, which our watch does not show yet, may be the one that asks.
   */
  static boolean isForeseen(Situation situation, PreferredCall call) {
    return !call.mustInclude().isEmpty()
        || situation.outstanding().stream()
            .anyMatch(each -> each.likeness().units() == call.size());
  }

  private Choice choice() {
    if (!call.mustInclude().isEmpty()) {
      return new Choice(reused(), Basis.REUSE);
    }
    return lost()
        .or(this::reserved)
        .or(this::placed)
        .or(this::leftOver)
        .orElseGet(() -> new Choice(filledUp(new LinkedHashSet<>()), Basis.MIXED));
  }

  /** Prescribed IDs and more of the devices that they are on, most prescribed first. */
  private List<String> reused() {
    Set<String> ids = new LinkedHashSet<>(call.mustInclude());
    Map<DeviceUuid, Long> prescribed = new HashMap<>();
    for (String text : call.mustInclude()) {
      DeviceId.parse(text).ifPresent(id -> prescribed.merge(id.device(), 1L, Long::sum));
    }
    prescribed.entrySet().stream()
        .sorted(
            Map.Entry.<DeviceUuid, Long>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .flatMap(entry -> offered.getOrDefault(entry.getKey(), List.of()).stream())
        .forEach(
            id -> {
              if (ids.size() < call.size()) {
                ids.add(id.toString());
              }
            });
    return filledUp(ids);
  }

  private Optional<Choice> lost() {
    return situation
        .onlyLost(call.size())
        .map(Situation.LostAllocation::ids)
        .filter(ids -> call.available().containsAll(ids.stream().map(DeviceId::toString).toList()))
        .map(ids -> new Choice(ids.stream().sorted().map(DeviceId::toString).toList(), Basis.LOST));
  }

  private Optional<Choice> reserved() {
    for (boolean unheldOnly : new boolean[] {true, false}) {
      for (Outstanding each : situation.outstanding()) {
        if (each.likeness().units() == call.size()) {
          Optional<List<String>> ids = take(each.devices(), unheldOnly);
          if (ids.isPresent()) {
            return Optional.of(new Choice(ids.get(), Basis.RESERVED));
          }
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Choice> placed() {
    Map<DeviceUuid, Long> planned = new HashMap<>();
    for (Outstanding each : situation.outstanding()) {
      each.devices().forEach((device, units) -> planned.merge(device, units, Long::sum));
    }
    return situation.inventory().devices().stream()
        .filter(device -> device.health().isHealthy())
        .filter(device -> !situation.cordoned().contains(device.uuid()))
        .filter(device -> room(device, planned) >= call.size())
        .min(
            Comparator.<Device>comparingLong(device -> room(device, planned))
                .thenComparingInt(Device::index))
        .flatMap(device -> take(Map.of(device.uuid(), (long) call.size()), true))
        .map(ids -> new Choice(ids, Basis.PLACED));
  }

  /** Units of a device that nobody holds and nobody has reserved. */
  private long room(Device device, Map<DeviceUuid, Long> planned) {
    long free =
        offered.getOrDefault(device.uuid(), List.of()).stream()
            .filter(id -> !situation.isHeld(id))
            .count();
    return free - planned.getOrDefault(device.uuid(), 0L);
  }

  private Optional<Choice> leftOver() {
    for (boolean unheldOnly : new boolean[] {true, false}) {
      for (DeviceUuid device : offered.keySet()) {
        Optional<List<String>> ids = take(Map.of(device, (long) call.size()), unheldOnly);
        if (ids.isPresent()) {
          return Optional.of(new Choice(ids.get(), Basis.LEFT_OVER));
        }
      }
    }
    return Optional.empty();
  }

  private Optional<List<String>> take(Map<DeviceUuid, Long> amounts, boolean unheldOnly) {
    List<String> ids = new ArrayList<>();
    for (Map.Entry<DeviceUuid, Long> amount : new TreeMap<>(amounts).entrySet()) {
      List<DeviceId> usable =
          offered.getOrDefault(amount.getKey(), List.of()).stream()
              .filter(id -> !unheldOnly || !situation.isHeld(id))
              .limit(amount.getValue())
              .toList();
      if (usable.size() < amount.getValue()) {
        return Optional.empty();
      }
      usable.forEach(id -> ids.add(id.toString()));
    }
    return ids.size() == call.size() ? Optional.of(ids) : Optional.empty();
  }

  /** Up to the asked number with whatever is offered, device by device, known devices first. */
  private List<String> filledUp(Set<String> ids) {
    Set<String> all = new LinkedHashSet<>(ids);
    offered.values().stream()
        .sorted(Comparator.<List<DeviceId>>comparingInt(List::size).reversed())
        .forEach(units -> units.forEach(id -> all.add(id.toString())));
    all.addAll(new HashSet<>(call.available()));
    return all.stream().limit(Math.max(0, call.size())).toList();
  }
}
