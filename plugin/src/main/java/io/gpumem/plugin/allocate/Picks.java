package io.gpumem.plugin.allocate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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

  private record Pick(UnitSet ids, UnitSet offered, long atNanos) {}

  void add(UnitSet ids, UnitSet offered, long nowNanos) {
    expire(nowNanos);
    if (picks.size() == MOST) {
      picks.removeFirst();
    }
    picks.add(new Pick(ids, offered, nowNanos));
  }

  /** What the kubelet offered as free when it was last told to take these IDs; else nothing. */
  UnitSet offeredWith(UnitSet ids) {
    return picks.reversed().stream()
        .filter(pick -> !pick.ids().isDisjoint(ids))
        .findFirst()
        .map(Pick::offered)
        .orElse(UnitSet.NONE);
  }

  /** One answer ends one call: another pod may have been told to take the same IDs. */
  void answered(UnitSet ids) {
    picks.stream().filter(pick -> pick.ids().equals(ids)).findFirst().ifPresent(picks::remove);
  }

  UnitSet recent(long nowNanos) {
    expire(nowNanos);
    return picks.stream().map(Pick::ids).reduce(UnitSet.NONE, UnitSet::plus);
  }

  private void expire(long nowNanos) {
    picks.removeIf(pick -> nowNanos - pick.atNanos() > KEPT_NANOS);
  }
}
