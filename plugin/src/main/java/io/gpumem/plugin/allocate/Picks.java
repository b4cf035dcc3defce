package io.gpumem.plugin.allocate;

import io.gpumem.core.units.DeviceId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The IDs that preferred calls were told to take moments ago, and what the kubelet offered as free
 * in each. Mutable, not thread-safe: {@link NodeState} owns it.
 */
final class Picks {

  /** How long the IDs of a preferred call are kept from the next one. */
  static final long KEPT_NANOS = Duration.ofSeconds(2).toNanos();

  /** Preferred calls come one at a time; more than this many at once are not the kubelet's. */
  private static final int MOST = 64;

  private final List<Pick> picks = new ArrayList<>();

  private record Pick(Set<DeviceId> ids, Set<DeviceId> offered, long atNanos) {}

  void add(PreferredCall call, List<String> ids, long nowNanos) {
    expire(nowNanos);
    Set<DeviceId> offered = new HashSet<>();
    for (String text : call.available()) {
      if (!call.mustInclude().contains(text)) {
        DeviceId.parse(text).ifPresent(offered::add);
      }
    }
    if (picks.size() == MOST) {
      picks.removeFirst();
    }
    Set<DeviceId> picked = new HashSet<>();
    ids.forEach(text -> DeviceId.parse(text).ifPresent(picked::add));
    picks.add(new Pick(picked, offered, nowNanos));
  }

  /** What the kubelet offered as free when it was last told to take these IDs; else nothing. */
  Set<DeviceId> offeredWith(Set<DeviceId> ids) {
    return picks.reversed().stream()
        .filter(pick -> pick.ids().stream().anyMatch(ids::contains))
        .findFirst()
        .map(Pick::offered)
        .orElse(Set.of());
  }

  /** One answer ends one call: another pod may have been told to take the same IDs. */
  void answered(Set<DeviceId> ids) {
    picks.stream().filter(pick -> pick.ids().equals(ids)).findFirst().ifPresent(picks::remove);
  }

  Set<DeviceId> recent(long nowNanos) {
    expire(nowNanos);
    Set<DeviceId> recent = new HashSet<>();
    picks.forEach(pick -> recent.addAll(pick.ids()));
    return recent;
  }

  private void expire(long nowNanos) {
    picks.removeIf(pick -> nowNanos - pick.atNanos() > KEPT_NANOS);
  }
}
