package io.gpumem.extender.verdict;

import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.ReservationCodec;
import io.gpumem.platform.cluster.BindOutcome;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.cluster.PodRef;
import io.gpumem.platform.cluster.Reading;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The naive model: pods in a map, a queue of watch events that the test delivers when it likes, and
 * sums by brute force. One thread.
 */
final class ToyApi {

  final Map<PodUid, PodFacts> pods = new LinkedHashMap<>();
  final Deque<FeedEvent<PodFacts>> watch = new ArrayDeque<>();

  /** Bindings whose answer was lost and that are not committed yet. */
  final List<Runnable> late = new ArrayList<>();

  void create(PodFacts pod) {
    pods.put(pod.uid(), pod);
    watch.add(new FeedEvent.Appeared<>(pod));
  }

  void delete(PodFacts pod) {
    PodFacts last = pods.remove(pod.uid());
    if (last != null) {
      watch.add(new FeedEvent.Gone<>(last));
    }
  }

  /** Takes a Binding as the API server does. */
  BindOutcome commit(PodRef ref, String node, Map<String, String> annotations) {
    PodFacts pod = pods.get(new PodUid(ref.uid()));
    if (pod == null) {
      return new BindOutcome.Gone("no such pod");
    }
    if (pod.node().isPresent()) {
      Map<String, String> there = new TreeMap<>();
      pod.reservation()
          .understood()
          .ifPresent(plan -> there.put(Scene.KEYS.reservation(), ReservationCodec.encode(plan)));
      return new BindOutcome.AlreadyBound(pod.node().get().text(), there);
    }
    Decoded<Reservation> plan =
        ReservationCodec.decode(Optional.ofNullable(annotations.get(Scene.KEYS.reservation())));
    PodFacts bound = pod.boundTo(new NodeName(node), plan.understood().orElseThrow());
    pods.put(pod.uid(), bound);
    watch.add(new FeedEvent.Changed<>(pod, bound));
    return new BindOutcome.Bound();
  }

  Reading<PodFacts> read(String namespace, String name, Duration deadline) {
    return pods.values().stream()
        .filter(pod -> pod.name().namespace().equals(namespace) && pod.name().name().equals(name))
        .findFirst()
        .<Reading<PodFacts>>map(Reading.Found::new)
        .orElseGet(Reading.Absent::new);
  }

  /** What the plans of the bound pods take of each device. */
  Map<DeviceUuid, Long> used() {
    Map<DeviceUuid, Long> used = new TreeMap<>();
    for (PodFacts pod : pods.values()) {
      if (pod.node().isPresent()) {
        pod.reservation()
            .understood()
            .orElseThrow()
            .containers()
            .values()
            .forEach(each -> each.forEach((device, units) -> used.merge(device, units, Long::sum)));
      }
    }
    return used;
  }
}
