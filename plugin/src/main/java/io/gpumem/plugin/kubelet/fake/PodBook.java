package io.gpumem.plugin.kubelet.fake;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The pods bound to the node, and how far each has come: what the API server and the container
 * runtime know, so that it outlives a kubelet.
 *
 * <pre>
 *   bind → BOUND → ADMITTED → RUNNING → TERMINATING → gone (stopped)
 *            └────────┴──────────┴──────────┴───────→ FINISHED (failed, succeeded) → gone
 *   and from anywhere → gone (force-deleted)
 * </pre>
 *
 * Thread-safe: each method is one step.
 */
final class PodBook {
  enum Phase {
    BOUND,
    ADMITTED,
    RUNNING,
    TERMINATING,
    FINISHED
  }

  /**
   * A pod and where it stands.
   *
   * @param started whether its containers were started, so that they run until it is stopped
   */
  record Entry(KubeletPod pod, Phase phase, boolean started) {}

  private final Map<String, Entry> entries = new LinkedHashMap<>();

  synchronized void bind(KubeletPod pod) {
    Entry entry = new Entry(pod, Phase.BOUND, false);
    if (entries.putIfAbsent(pod.uid(), entry) != null) {
      throw new IllegalArgumentException("expected a new UID but was " + pod);
    }
  }

  synchronized Optional<Entry> entry(String uid) {
    return Optional.ofNullable(entries.get(uid));
  }

  /** All pods, in the order in which they were bound. */
  synchronized List<Entry> all() {
    return new ArrayList<>(entries.values());
  }

  synchronized void admitted(String uid) {
    entry(uid)
        .filter(entry -> entry.phase() == Phase.BOUND)
        .ifPresent(entry -> put(entry.pod(), Phase.ADMITTED, false));
  }

  synchronized void running(String uid) {
    entry(uid)
        .filter(entry -> entry.phase() == Phase.ADMITTED)
        .ifPresent(entry -> put(entry.pod(), Phase.RUNNING, true));
  }

  synchronized void terminating(String uid) {
    entry(uid)
        .filter(entry -> entry.phase() != Phase.FINISHED)
        .ifPresent(entry -> put(entry.pod(), Phase.TERMINATING, entry.started()));
  }

  synchronized void finished(String uid) {
    entry(uid).ifPresent(entry -> put(entry.pod(), Phase.FINISHED, false));
  }

  synchronized void remove(String uid) {
    entries.remove(uid);
  }

  /** The machine rebooted: no container runs any more, and pods that ran must be started again. */
  synchronized void stopContainers() {
    entries.replaceAll(
        (_, entry) ->
            new Entry(
                entry.pod(),
                entry.phase() == Phase.RUNNING || entry.phase() == Phase.ADMITTED
                    ? Phase.BOUND
                    : entry.phase(),
                false));
  }

  private void put(KubeletPod pod, Phase phase, boolean started) {
    entries.put(pod.uid(), new Entry(pod, phase, started));
  }
}
