package io.gpumem.demo.world;

import io.gpumem.platform.cluster.Cluster;
import io.gpumem.platform.cluster.Feed;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.cluster.PodSelection;
import io.gpumem.platform.cluster.fake.ApiObjects;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.Refusal;
import io.gpumem.platform.cluster.fake.ResourceKind;
import io.gpumem.plugin.kubelet.fake.ContainerView;
import io.gpumem.plugin.kubelet.fake.KubeletEvent;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import io.gpumem.plugin.kubelet.fake.KubeletSettings;
import io.gpumem.plugin.kubelet.fake.StandInKubelet;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A node of the played cluster: a stand-in kubelet, and what a kubelet does with the API server.
 * Pods bound to the node reach it in the order of the watch; what becomes of them, and how many
 * devices there are, is written back. Thread-safe.
 */
public final class PlayedNode implements AutoCloseable {

  static final String HOSTNAME = "kubernetes.io/hostname";

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final Executor START_AGAIN =
      CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS);

  /**
   * A pod that the kubelet refused.
   *
   * @param at the time on {@link System#nanoTime}
   */
  public record Refused(String node, String pod, String reason, String message, long at) {}

  private final String name;
  private final ApiObjects objects;
  private final StandInKubelet kubelet;
  private final Feed pods;
  private final Set<String> told = new HashSet<>();
  private final Map<String, List<ContainerView>> views = new ConcurrentHashMap<>();
  private final List<Refused> refusals = new CopyOnWriteArrayList<>();

  PlayedNode(String name, KubeletSettings settings, ApiObjects objects, Cluster cluster)
      throws IOException {
    this.name = name;
    this.objects = objects;
    createNode();
    this.kubelet = StandInKubelet.start(settings, this::happened);
    this.pods = cluster.watchPods(PodSelection.onNode(name), NodePodFacts::of, this::watched);
  }

  private void createNode() {
    ObjectNode node = JSON.createObjectNode();
    node.putObject("metadata").put("name", name).putObject("labels").put(HOSTNAME, name);
    ObjectNode ready = JSON.createObjectNode();
    ready
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "Ready")
        .put("status", "True");
    objects.create(ResourceKind.NODES, node);
    objects.patchStatus(ObjectKey.node(name), ready.toString());
  }

  public String name() {
    return name;
  }

  /** The kubelet itself, for its faults and its inner table. */
  public StandInKubelet kubelet() {
    return kubelet;
  }

  /** What the containers of a running pod were started with, by the pod's UID. */
  public Optional<List<ContainerView>> views(String uid) {
    return Optional.ofNullable(views.get(uid));
  }

  /** All refusals so far, in order. */
  public List<Refused> refusals() {
    return List.copyOf(refusals);
  }

  private void watched(FeedEvent<NodePod> event) {
    switch (event) {
      case FeedEvent.Listed<NodePod>(List<NodePod> all, List<NodePod> gone) -> {
        kubelet.add(all.stream().map(NodePod::pod).filter(pod -> told.add(pod.uid())).toList());
        all.forEach(this::endIfAsked);
        gone.forEach(this::gone);
      }
      case FeedEvent.Appeared<NodePod>(NodePod now) -> {
        if (told.add(now.pod().uid())) {
          kubelet.add(now.pod());
        }
        endIfAsked(now);
      }
      case FeedEvent.Changed<NodePod>(NodePod before, NodePod now) -> endIfAsked(now);
      case FeedEvent.Gone<NodePod>(NodePod last) -> gone(last);
    }
  }

  /** The containers of these pods end at once; then the object goes, as a kubelet lets it go. */
  private void endIfAsked(NodePod pod) {
    if (pod.deleting()) {
      kubelet.terminate(pod.pod().uid());
      attempt(() -> objects.remove(key(pod.pod())));
    }
  }

  private void gone(NodePod pod) {
    kubelet.stopped(pod.pod().uid());
    views.remove(pod.pod().uid());
    told.remove(pod.pod().uid());
  }

  private void happened(KubeletEvent event) {
    switch (event) {
      case KubeletEvent.PodRunning(KubeletPod pod, List<ContainerView> containers) -> {
        views.put(pod.uid(), containers);
        status(pod, JSON.createObjectNode().put("phase", "Running"));
      }
      case KubeletEvent.PodFailed(KubeletPod pod, String reason, String message) -> {
        refusals.add(new Refused(name, pod.name(), reason, message, System.nanoTime()));
        status(
            pod,
            JSON.createObjectNode()
                .put("phase", "Failed")
                .put("reason", reason)
                .put("message", message));
      }
      case KubeletEvent.ContainerWaiting(KubeletPod pod, _, _, _) ->
          // A pod worker tries again by itself, beside admission.
          START_AGAIN.execute(() -> kubelet.startContainers(pod.uid()));
      case KubeletEvent.CapacityChanged(String resource, long capacity, long allocatable) -> {
        ObjectNode patch = JSON.createObjectNode();
        ObjectNode status = patch.putObject("status");
        status.putObject("capacity").put(resource, Long.toString(capacity));
        status.putObject("allocatable").put(resource, Long.toString(allocatable));
        attempt(() -> objects.patchStatus(ObjectKey.node(name), patch.toString()));
      }
    }
  }

  private void status(KubeletPod pod, ObjectNode status) {
    ObjectNode patch = JSON.createObjectNode();
    patch.putObject("metadata").put("uid", pod.uid());
    patch.set("status", status);
    attempt(() -> objects.patchStatus(key(pod), patch.toString()));
  }

  /** A pod can be gone before its kubelet writes about it; a kubelet takes that as it comes. */
  private static void attempt(Runnable write) {
    try {
      write.run();
    } catch (Refusal goneOrAnother) {
      // Nothing is left to write about.
    }
  }

  private static ObjectKey key(KubeletPod pod) {
    return ObjectKey.pod(pod.namespace(), pod.name());
  }

  @Override
  public void close() {
    pods.close();
    kubelet.close();
  }
}
