package io.gpumem.plugin.allocate;

import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
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
  static Ruling rule(Situation situation, List<String> ids, UnitSet offered) {
    for (String text : ids) {
      if (DeviceId.parse(text).filter(known -> isKnown(situation, known)).isEmpty()) {
        return new Ruling.Refused("\"" + text + "\" is no device ID of this node");
      }
    }
    UnitSet parsed = UnitSet.parsed(ids);
    if (parsed.isEmpty()) {
      return new Ruling.Refused("no device IDs were given");
    }
    if (parsed.size() < ids.size()) {
      return new Ruling.Refused("the kubelet named a device ID twice for one container");
    }
    Map<DeviceUuid, Long> devices = parsed.counts();
    Optional<String> wrong =
        unhealthy(situation, devices)
            .or(() -> mixed(situation, devices))
            .or(() -> forgotten(situation, parsed));
    if (wrong.isPresent()) {
      return new Ruling.Refused(wrong.get());
    }
    Map<PodName, UnitSet> suspects = suspects(situation, parsed, offered.and(parsed));
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

  /**
   * Running pods hold units that the kubelet forgot, under IDs that nobody knows any more: so many
   * of a device's IDs must be left over, whichever they are. A loser may have its own again.
   */
  private static Optional<String> forgotten(Situation situation, UnitSet ids) {
    boolean ownLost = situation.ownLost(ids).isPresent();
    for (DeviceUuid uuid : ownLost ? Set.<DeviceUuid>of() : ids.devices()) {
      long forgotten = situation.forgotten(uuid);
      long given = situation.held().on(uuid).plus(ids.on(uuid)).size();
      long units = situation.inventory().device(uuid).map(Device::units).orElse(0L);
      if (forgotten > 0 && given + forgotten > units) {
        return Optional.of(
            "running pods still hold "
                + forgotten
                + " units of device "
                + uuid
                + " that the kubelet has forgotten");
      }
    }
    return Optional.empty();
  }

  /**
   * Who may hold IDs that were offered as free: those under whose names they were shown, and of
   * what only our own answers know, any pod that has not shown what it was given.
   */
  private static Map<PodName, UnitSet> suspects(Situation situation, UnitSet ids, UnitSet offered) {
    Map<PodName, UnitSet> suspects = new TreeMap<>();
    boolean ownIds = situation.ownLost(ids).filter(lost -> lost.ids().equals(ids)).isPresent();
    if (ownIds || offered.isDisjoint(situation.held())) {
      return suspects;
    }
    UnitSet unnamed = UnitSet.NONE;
    UnitSet named = UnitSet.NONE;
    for (Holder holder : situation.holders()) {
      UnitSet touched = offered.and(holder.ids());
      if (holder.pod().isEmpty()) {
        unnamed = unnamed.plus(touched);
      } else if (!touched.isEmpty()) {
        named = named.plus(touched);
        suspects.merge(holder.pod().get(), touched, UnitSet::plus);
      }
    }
    UnitSet unseen = unnamed.minus(named);
    if (!unseen.isEmpty()) {
      situation.unseen().forEach(pod -> suspects.merge(pod, unseen, UnitSet::plus));
    }
    return suspects;
  }
}
