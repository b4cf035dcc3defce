package io.gpumem.extender.http.fake;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which waiting pod is tried next, and when again.
 *
 * <pre>
 *   ready --next--> tried --unschedulable--> parked --anything changes, or 5 min--> ready
 *     ^               |                      (and not before its back-off is over)
 *     `--back-off-----+ failed
 * </pre>
 *
 * <p>A pod that an extender rejected is woken by any change of any pod or node (k8s-contract D.6).
 * Safe from any thread; the clock is handed in. It holds the pods that wait in the API server, and
 * no others.
 */
final class PodQueue {

  private static final Duration LONGEST_PARKED = Duration.ofMinutes(5);

  private final long leastNanos;
  private final long mostNanos;
  private final Map<String, Entry> entries = new HashMap<>();

  /** One pod's place; changed under the queue's lock only. */
  private static final class Entry {
    private SchedulerPod pod;
    private int attempts;
    private long notBeforeNanos;
    private boolean parked;
    private long parkedNanos;
    private boolean taken;

    Entry(SchedulerPod pod, long nowNanos) {
      this.pod = pod;
      this.notBeforeNanos = nowNanos;
    }
  }

  /**
   * @param least the first back-off; it doubles
   * @param most the longest back-off
   */
  PodQueue(Duration least, Duration most) {
    this.leastNanos = least.toNanos();
    this.mostNanos = most.toNanos();
  }

  /** What waits now; what is no more among it is forgotten. */
  synchronized void waits(Collection<SchedulerPod> pods, long nowNanos) {
    Set<String> uids = new HashSet<>();
    for (SchedulerPod pod : pods) {
      uids.add(pod.uid());
      entries.computeIfAbsent(pod.uid(), uid -> new Entry(pod, nowNanos)).pod = pod;
    }
    entries.keySet().removeIf(uid -> !uids.contains(uid));
  }

  /** Something in the cluster changed. */
  synchronized void wake() {
    entries.values().forEach(entry -> entry.parked = false);
  }

  /** The pod to be tried now; it is not given again until its outcome is told. */
  synchronized Optional<SchedulerPod> next(long nowNanos) {
    Optional<Entry> next =
        entries.values().stream()
            .filter(entry -> isDue(entry, nowNanos))
            .min((one, other) -> SchedulerPod.QUEUE_ORDER.compare(one.pod, other.pod));
    next.ifPresent(entry -> entry.taken = true);
    return next.map(entry -> entry.pod);
  }

  private static boolean isDue(Entry entry, long nowNanos) {
    boolean parked = entry.parked && nowNanos - entry.parkedNanos < LONGEST_PARKED.toNanos();
    return !entry.taken && !parked && nowNanos - entry.notBeforeNanos >= 0;
  }

  /** No node was found: it waits for a change. */
  synchronized void unschedulable(String uid, long nowNanos) {
    backOff(uid, nowNanos, true);
  }

  /** An error: it is tried again after its back-off. */
  synchronized void failed(String uid, long nowNanos) {
    backOff(uid, nowNanos, false);
  }

  private void backOff(String uid, long nowNanos, boolean park) {
    Entry entry = entries.get(uid);
    if (entry != null) {
      long wait = leastNanos;
      for (int i = 0; i < entry.attempts && wait < mostNanos; i++) {
        wait *= 2;
      }
      entry.attempts++;
      entry.notBeforeNanos = nowNanos + Math.min(wait, mostNanos);
      entry.parked = park;
      entry.parkedNanos = nowNanos;
      entry.taken = false;
    }
  }
}
