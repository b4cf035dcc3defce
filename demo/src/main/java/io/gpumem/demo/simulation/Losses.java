package io.gpumem.demo.simulation;

import io.gpumem.plugin.kubelet.fake.KubeletCore;
import io.gpumem.plugin.kubelet.fake.Restart;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * What becomes of devices when a kubelet loses its table. Running containers keep theirs, and
 * whoever reads what was published can know that. Where nothing had been published yet, or the
 * machine was rebooted, or somebody forged, nothing tells what a pod has. Nor where the kubelet
 * gives running containers other devices than they run on: it does so when it does not see them
 * running, and with the finished init containers of pods that it admits again.
 */
final class Losses {

  /** Whether the node's annotation says what a pod holds, by container. */
  interface Published {
    boolean says(String uid, SortedMap<String, SortedSet<String>> containers);
  }

  private final Published published;

  /** What containers run on: by pod UID, then container. */
  private final SortedMap<String, SortedMap<String, SortedSet<String>>> lost = new TreeMap<>();

  private final Set<String> forgotten = new HashSet<>();

  Losses(Published published) {
    this.published = published;
  }

  /** The kubelet with this core is killed and comes up again so. */
  void restarting(Restart how, KubeletCore core) {
    if (how.checkpoint() == Restart.Checkpoint.KEPT) {
      return;
    }
    boolean seen = how.containers() == Restart.Containers.SEEN;
    held(core)
        .forEach(
            (uid, containers) -> {
              boolean runs = core.isStarted(uid) && seen;
              if (runs && published.says(uid, containers) && !core.hasInit(uid)) {
                lost.put(uid, containers);
              } else {
                forgotten.add(uid);
                lost.remove(uid);
              }
            });
  }

  /**
   * The device IDs of every container of a pod that has not ended, from the kubelet's inner table,
   * and where that was lost, what runs on.
   */
  SortedMap<String, SortedMap<String, SortedSet<String>>> held(KubeletCore core) {
    SortedMap<String, SortedMap<String, SortedSet<String>>> held = new TreeMap<>(core.table());
    lost.keySet().removeIf(uid -> held.containsKey(uid) || !core.isStarted(uid));
    held.putAll(lost);
    held.keySet().removeIf(uid -> !core.has(uid));
    return held;
  }

  /** Whether nobody can know what the pod has. */
  boolean isForgotten(String uid) {
    return forgotten.contains(uid);
  }
}
