package io.gpumem.demo.scenario;

import io.gpumem.demo.world.PlayedCluster;
import io.gpumem.demo.world.PodPlan;
import io.gpumem.demo.world.PodState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The controller of all pods here, as a Deployment is of its: a pod that its kubelet refused is
 * replaced by a new one. For one thread.
 */
public final class Owner {

  private final PlayedCluster cluster;
  private final Map<String, PodPlan> wanted = new TreeMap<>();
  private final List<String> replaced = new ArrayList<>();

  public Owner(PlayedCluster cluster) {
    this.cluster = cluster;
  }

  /** From now on there is such a pod. */
  public void create(PodPlan plan) {
    wanted.put(plan.name(), plan);
    cluster.create(plan);
  }

  /** From now on there is no such pod. */
  void delete(String pod) {
    wanted.remove(pod);
    cluster.delete(pod);
  }

  /** The names of the pods that ought to run. */
  List<String> names() {
    return List.copyOf(wanted.keySet());
  }

  /** Pods that were replaced so far. */
  List<String> replaced() {
    return List.copyOf(replaced);
  }

  /** Replaces what failed. */
  void tend() {
    for (PodPlan plan : List.copyOf(wanted.values())) {
      Optional<PodState> pod = cluster.pod(plan.name());
      if (pod.isPresent() && pod.get().isFailed()) {
        delete(plan.name());
        create(plan.named(plan.name() + "-again"));
        replaced.add(plan.name());
      }
    }
  }

  /** Those that ought to run and do. */
  List<PodState> running() {
    return cluster.pods().stream()
        .filter(pod -> wanted.containsKey(pod.name()) && pod.isRunning())
        .toList();
  }
}
