package io.gpumem.plugin.allocate;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * The kubelet's table as far as it was read, and to which pod each device ID belongs. PodResources
 * knows names only, and a later pod may have the same name, so attribution has a memory. Mutable,
 * not thread-safe: {@link NodeState} owns it.
 */
final class Table {

  /**
   * After this long a reading under a name is about the pod that has the name now: the kubelet
   * looks devices up by UID, so only a reading that began before it knew the new pod can show the
   * old one's.
   */
  private static final long SURELY_CURRENT_NANOS = Duration.ofSeconds(10).toNanos();

  /** A pod that was listed without a device twice, this far apart, holds nothing. */
  private static final long HOLDS_NOTHING_NANOS = Duration.ofSeconds(5).toNanos();

  /** A table that shows a pod empty this long before the kubelet's restart is noticed was lost. */
  private static final long NOTICED_WITHIN_NANOS = Duration.ofSeconds(10).toNanos();

  private final Map<PodName, Reading> readings = new HashMap<>();
  private final Owners owners = new Owners();
  private final Map<PodUid, Map<String, UnitSet>> lost = new HashMap<>();
  private final Map<PodUid, Long> emptySince = new HashMap<>();
  private final Set<PodUid> withoutDevice = new HashSet<>();
  private final Map<PodUid, Emptied> emptied = new HashMap<>();
  private OptionalLong mayBeLostNanos = OptionalLong.empty();

  /** What a pod was shown with before it was shown with nothing. */
  private record Emptied(Map<String, UnitSet> containers, long atNanos) {}

  /**
   * Takes a reading of a pod that the kubelet lists.
   *
   * @param live the pod that has the name now, if any, and when we first saw it
   */
  void shown(Reading reading, Optional<PodFacts> live, long seenNanos) {
    Reading before = readings.get(reading.name());
    if (before != null && before.begunNanos() > reading.begunNanos()) {
      return;
    }
    readings.put(reading.name(), reading);
    Map<String, UnitSet> showed = before == null ? Map.of() : before.units();
    boolean mayBeLost =
        before != null
            && mayBeLostNanos.isPresent()
            && before.begunNanos() <= mayBeLostNanos.getAsLong();
    live.ifPresent(pod -> noteLoss(showed, reading, pod, mayBeLost));
    UnitSet now = reading.ids();
    if (before != null) {
      owners.remove(before.ids().minus(now));
    }
    live.ifPresent(pod -> attribute(now, pod, reading.begunNanos() - seenNanos));
  }

  /**
   * Takes that a list of pods has this one. At a start the table is often read before the pods are
   * listed: what was shown under the name and has no owner is the pod's.
   */
  void listed(PodFacts pod) {
    Reading reading = readings.get(pod.name());
    if (reading != null) {
      attribute(reading.ids(), pod, 0);
    }
  }

  private void attribute(UnitSet ids, PodFacts pod, long sinceSeenNanos) {
    if (sinceSeenNanos >= SURELY_CURRENT_NANOS) {
      owners.give(pod.uid(), ids);
    } else {
      owners.addUnowned(pod.uid(), ids);
    }
  }

  /** The kubelet may have been restarted; a table that it lost then shows listed pods empty. */
  void mayBeLost(long nowNanos) {
    mayBeLostNanos = OptionalLong.of(nowNanos);
    emptied.forEach(
        (uid, was) -> {
          if (nowNanos - was.atNanos() <= NOTICED_WITHIN_NANOS) {
            lost.put(uid, was.containers());
          }
        });
    emptied.clear();
  }

  /**
   * A pod's devices never leave it while it runs. So when a pod is shown empty, the kubelet has
   * lost its table, which takes a restart of it; or else the pod has just ended, and the API server
   * does not say so yet.
   */
  private void noteLoss(Map<String, UnitSet> showed, Reading now, PodFacts pod, boolean mayBeLost) {
    if (!now.containers().isEmpty()) {
      lost.remove(pod.uid());
      emptied.remove(pod.uid());
      emptySince.remove(pod.uid());
      withoutDevice.remove(pod.uid());
      return;
    }
    boolean held =
        !showed.isEmpty()
            && showed.values().stream().allMatch(ids -> owners.isOwner(pod.uid(), ids));
    if (held && mayBeLost) {
      lost.put(pod.uid(), showed);
    } else if (held) {
      emptied.put(pod.uid(), new Emptied(showed, now.begunNanos()));
    }
    long since = emptySince.computeIfAbsent(pod.uid(), uid -> now.begunNanos());
    if (!lost.containsKey(pod.uid())
        && !pod.demand().hasOrdinaryInit()
        && now.begunNanos() - since >= HOLDS_NOTHING_NANOS) {
      withoutDevice.add(pod.uid());
    }
  }

  /**
   * Takes that the kubelet does not know a pod of this name. A kubelet that has just started does
   * not know its pods yet, so what a live pod was seen with stays.
   */
  void absent(PodName name, long begunNanos, Optional<PodFacts> live) {
    Reading before = readings.get(name);
    boolean livesOn =
        before != null
            && !before.containers().isEmpty()
            && live.filter(pod -> owners.isOwner(pod.uid(), before.ids())).isPresent();
    if (livesOn) {
      return;
    }
    if (before == null || before.begunNanos() <= begunNanos) {
      readings.put(name, new Reading(name, Map.of(), begunNanos));
      if (before != null) {
        owners.remove(before.ids());
      }
    }
  }

  /** Forgets a name that no live pod has and that the kubelet does not show. */
  void forget(PodName name) {
    Reading reading = readings.get(name);
    if (reading != null && reading.containers().isEmpty()) {
      readings.remove(name);
    }
  }

  /**
   * Forgets a pod that has ended, and with it what was shown of it: the kubelet gives its IDs to
   * others from now on, and both must not be counted. Whose they were is remembered, so that a pod
   * of the same name does not take them over.
   */
  void ended(PodUid uid, PodName name) {
    lost.remove(uid);
    emptied.remove(uid);
    emptySince.remove(uid);
    withoutDevice.remove(uid);
    Reading reading = readings.get(name);
    if (reading != null && owners.isOwner(uid, reading.ids())) {
      readings.remove(name);
    }
  }

  /** IDs that were just given again belong to whoever shows them next. */
  void given(UnitSet ids) {
    owners.remove(ids);
  }

  boolean shows(UnitSet ids) {
    return readings.values().stream().anyMatch(reading -> reading.ids().containsAll(ids));
  }

  /** Whether the IDs show as what one of these pods has been given. */
  boolean showsAs(Collection<PodFacts> live, UnitSet ids) {
    return live.stream()
        .anyMatch(
            pod -> {
              Reading reading = readings.get(pod.name());
              return reading != null
                  && reading.units().entrySet().stream()
                      .anyMatch(
                          each ->
                              each.getValue().containsAll(ids)
                                  && isOf(pod, each.getKey(), each.getValue()));
            });
  }

  OptionalLong readingBegun(PodName name) {
    Reading reading = readings.get(name);
    return reading == null ? OptionalLong.empty() : OptionalLong.of(reading.begunNanos());
  }

  Set<PodName> names() {
    return Set.copyOf(readings.keySet());
  }

  boolean holdsNothing(PodUid uid) {
    return withoutDevice.contains(uid);
  }

  /** Whether the kubelet lists the pod, and without any ID of ours. */
  boolean isListedEmpty(PodUid uid) {
    return emptySince.containsKey(uid);
  }

  /** Device IDs that a running pod held when the kubelet lost its table, by pod and container. */
  Map<PodUid, Map<String, UnitSet>> lost() {
    return lost;
  }

  /** Who is shown with IDs, or held them when the table was lost. */
  List<Holder> holders(Map<PodUid, PodFacts> pods) {
    List<Holder> holders = new ArrayList<>();
    readings.forEach((name, reading) -> holders.add(new Holder(Optional.of(name), reading.ids())));
    lost.forEach(
        (uid, containers) -> {
          PodFacts pod = pods.get(uid);
          if (pod != null) {
            containers
                .values()
                .forEach(ids -> holders.add(new Holder(Optional.of(pod.name()), ids)));
          }
        });
    return holders;
  }

  /** What a live pod holds as shown, or as it was when the table was lost; empty when nothing. */
  Map<String, Map<DeviceUuid, Long>> allocated(PodFacts pod) {
    Map<String, Map<DeviceUuid, Long>> containers = new TreeMap<>();
    Map<String, UnitSet> shown =
        Optional.ofNullable(readings.get(pod.name())).map(Reading::units).orElse(Map.of());
    lost.getOrDefault(pod.uid(), shown)
        .forEach(
            (container, ids) -> {
              if (isOf(pod, container, ids)) {
                containers.put(container, ids.counts());
              }
            });
    return containers;
  }

  /** Whether a shown container is this pod's: its IDs are, and its spec asks this amount. */
  private boolean isOf(PodFacts pod, String container, UnitSet ids) {
    boolean owned = lost.containsKey(pod.uid()) || owners.isOwner(pod.uid(), ids);
    return owned && pod.demand().of(container).orElse(-1) == ids.size();
  }

  /** What is shown under names, and is not of the live pod of that name. */
  Map<PodName, Map<DeviceUuid, Long>> unknownHolders(Map<PodName, PodFacts> live) {
    Map<PodName, Map<DeviceUuid, Long>> unknown = new TreeMap<>();
    readings.forEach(
        (name, reading) -> {
          PodFacts pod = live.get(name);
          UnitSet strange = UnitSet.NONE;
          for (Map.Entry<String, UnitSet> shown : reading.units().entrySet()) {
            if (pod == null || !isOf(pod, shown.getKey(), shown.getValue())) {
              strange = strange.plus(shown.getValue());
            }
          }
          if (!strange.isEmpty()) {
            unknown.put(name, strange.counts());
          }
        });
    return unknown;
  }
}
