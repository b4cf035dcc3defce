package io.gpumem.plugin.allocate;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Units;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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

  /**
   * An answer.
   *
   * @param offered what the kubelet offered, as far as it is of this node
   */
  record Choice(List<String> ids, Basis basis, UnitSet offered) {}

  private final Situation situation;
  private final PreferredCall call;
  private final UnitSet offered;
  private final UnitSet unheld;

  private Preference(Situation situation, PreferredCall call) {
    this.situation = situation;
    this.call = call;
    this.offered = ofThisNode(UnitSet.parsed(call.available()));
    this.unheld = offered.minus(situation.held()).minus(situation.recentPicks());
  }

  private UnitSet ofThisNode(UnitSet ids) {
    UnitSet known = ids;
    for (DeviceUuid device : ids.devices()) {
      if (!situation.inventory().has(device)) {
        known = known.minus(ids.on(device));
      }
    }
    return known;
  }

  static Choice choose(Situation situation, PreferredCall call) {
    return new Preference(situation, call).choice();
  }

  /**
   * Whether it is known what this call should get. A lost allocation of its size does not say so: a
   * new pod whose reservation is late looks the same, and comes more often than a loser.
   */
  static boolean isForeseen(Situation situation, PreferredCall call) {
    return !call.mustInclude().isEmpty()
        || situation.outstanding().stream()
            .anyMatch(each -> each.likeness().units() == call.size());
  }

  private Choice choice() {
    if (!call.mustInclude().isEmpty()) {
      return choice(reused(), Basis.REUSE);
    }
    return lost()
        .or(this::reserved)
        .or(this::placed)
        .or(this::leftOver)
        .orElseGet(() -> choice(filledUp(Set.of()), Basis.MIXED));
  }

  private Choice choice(List<String> ids, Basis basis) {
    return new Choice(ids, basis, offered);
  }

  /** Prescribed IDs and more of the devices that they are on, most prescribed first. */
  private List<String> reused() {
    Set<String> ids = new LinkedHashSet<>(call.mustInclude());
    UnitSet.parsed(call.mustInclude()).counts().entrySet().stream()
        .sorted(Map.Entry.<DeviceUuid, Long>comparingByValue().reversed())
        .forEach(
            prescribed ->
                unheldFirst(prescribed.getKey()).stream()
                    .map(DeviceId::toString)
                    .takeWhile(id -> ids.size() < call.size())
                    .forEach(ids::add));
    return filledUp(ids);
  }

  private Optional<Choice> lost() {
    return situation
        .onlyLost(call.size())
        .flatMap(
            lost ->
                lost.ids().isEmpty()
                    ? take(lost.devices(), unheld)
                    : Optional.of(texts(lost.ids().sorted()))
                        .filter(ids -> offered.containsAll(lost.ids())))
        .map(ids -> choice(ids, Basis.LOST));
  }

  private Optional<Choice> reserved() {
    for (UnitSet from : List.of(unheld, offered)) {
      for (Outstanding each : situation.outstanding()) {
        if (each.likeness().units() == call.size()
            && each.devices().keySet().stream().allMatch(this::isHealthy)) {
          Optional<List<String>> ids = take(each.devices(), from);
          if (ids.isPresent()) {
            return Optional.of(choice(ids.get(), Basis.RESERVED));
          }
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Choice> placed() {
    Map<DeviceUuid, Long> planned = new HashMap<>();
    situation.outstanding().forEach(each -> Units.add(planned, each.devices()));
    return situation.inventory().devices().stream()
        .filter(device -> device.health().isHealthy())
        .filter(device -> !situation.cordoned().contains(device.uuid()))
        .filter(device -> isAdmissible(device.uuid()))
        .filter(device -> room(device, planned) >= call.size())
        .min(
            Comparator.<Device>comparingLong(device -> room(device, planned))
                .thenComparingInt(Device::index))
        .flatMap(device -> take(Map.of(device.uuid(), (long) call.size()), unheld))
        .map(ids -> choice(ids, Basis.PLACED));
  }

  /** Units of a device that nobody holds and nobody has reserved. */
  private long room(Device device, Map<DeviceUuid, Long> planned) {
    return free(device.uuid()) - planned.getOrDefault(device.uuid(), 0L);
  }

  private long free(DeviceUuid device) {
    return unheld.count(device) - situation.forgotten(device);
  }

  private Optional<Choice> leftOver() {
    List<DeviceUuid> devices = offered.devices().stream().sorted(lastResortLast()).toList();
    for (UnitSet from : List.of(unheld, offered)) {
      for (DeviceUuid device : devices) {
        Optional<List<String>> ids = take(Map.of(device, (long) call.size()), from);
        if (ids.isPresent()) {
          return Optional.of(choice(ids.get(), Basis.LEFT_OVER));
        }
      }
    }
    return Optional.empty();
  }

  /** A bad device's units would be refused, and so would those that the kubelet forgot. */
  private Comparator<DeviceUuid> lastResortLast() {
    return Comparator.<DeviceUuid, Boolean>comparing(device -> !isHealthy(device))
        .thenComparing(device -> !isAdmissible(device))
        .thenComparing(device -> free(device) < call.size())
        .thenComparing(situation.cordoned()::contains)
        .thenComparing(Comparator.naturalOrder());
  }

  /** Whether one of the requests that wait for as many accepts the device; any when none waits. */
  private boolean isAdmissible(DeviceUuid device) {
    List<Outstanding> waiting =
        situation.outstanding().stream()
            .filter(each -> each.likeness().units() == call.size())
            .toList();
    return waiting.isEmpty()
        || waiting.stream().anyMatch(each -> each.likeness().admissible().contains(device));
  }

  private boolean isHealthy(DeviceUuid device) {
    return situation.inventory().device(device).map(it -> it.health().isHealthy()).orElse(false);
  }

  /** So many units of each device, those first that nobody may hold; empty if it has too few. */
  private Optional<List<String>> take(Map<DeviceUuid, Long> amounts, UnitSet from) {
    List<DeviceId> ids = new ArrayList<>();
    for (Map.Entry<DeviceUuid, Long> amount : new TreeMap<>(amounts).entrySet()) {
      if (from.count(amount.getKey()) < amount.getValue()) {
        return Optional.empty();
      }
      ids.addAll(
          from == unheld
              ? unheld.first(amount.getKey(), amount.getValue())
              : unheldFirst(amount.getKey()).subList(0, Math.toIntExact(amount.getValue())));
    }
    return ids.size() == call.size() ? Optional.of(texts(ids)) : Optional.empty();
  }

  private List<DeviceId> unheldFirst(DeviceUuid device) {
    List<DeviceId> ids = unheld.first(device, unheld.count(device));
    UnitSet others = offered.on(device).minus(unheld);
    ids.addAll(others.first(device, others.count(device)));
    return ids;
  }

  private static List<String> texts(List<DeviceId> ids) {
    return ids.stream().map(DeviceId::toString).toList();
  }

  /** Up to the asked number with whatever is offered, device by device, known devices first. */
  private List<String> filledUp(Set<String> ids) {
    Set<String> all = new LinkedHashSet<>(ids);
    offered.devices().stream()
        .sorted(
            Comparator.<DeviceUuid>comparingLong(offered::count)
                .reversed()
                .thenComparing(Comparator.naturalOrder()))
        .forEach(device -> all.addAll(texts(unheldFirst(device))));
    all.addAll(call.available());
    return all.stream().limit(Math.max(0, call.size())).toList();
  }
}
