package io.gpumem.bench.world;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.ReservationCodec;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.ResourceKind;
import io.gpumem.platform.cluster.fake.StandInApiServer;
import io.gpumem.plugin.kubelet.fake.KubeletCall;
import io.gpumem.plugin.kubelet.fake.KubeletContainer;
import io.gpumem.plugin.kubelet.fake.KubeletEvent;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import io.gpumem.plugin.kubelet.fake.KubeletSettings;
import io.gpumem.plugin.kubelet.fake.StandInKubelet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One node around a plugin's process: a stand-in kubelet, a stand-in API server and a simulated
 * machine's file. The kubelet times its own calls of the plugin.
 */
public final class PlayedNode implements AutoCloseable {

  private static final String NODE = "bench-node";
  private static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Path root;
  private final Cards cards;
  private final StandInApiServer api = StandInApiServer.start();
  private final StandInKubelet kubelet;

  /**
   * The node's GPUs, all alike.
   *
   * @param count how many
   * @param gib memory of each, in GiB
   */
  public record Cards(int count, int gib) {

    /** Device IDs at a unit of 1 GiB. */
    public int units() {
      return count * gib;
    }

    DeviceUuid uuid(int place) {
      return new DeviceUuid("GPU-00000000-0000-4000-8000-%012d".formatted(place));
    }
  }

  /**
   * Starts kubelet and API server.
   *
   * @param root an empty folder whose path is short: unix sockets go there
   */
  public PlayedNode(Path root, Cards cards) throws IOException {
    this.root = root;
    this.cards = cards;
    Files.createDirectories(root);
    Files.writeString(root.resolve("kubeconfig"), api.kubeconfig());
    machine(false);
    var _ =
        api.objects()
            .create(
                ResourceKind.NODES,
                "{\"metadata\":{\"name\":\"%s\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}"
                    .formatted(NODE));
    this.kubelet = StandInKubelet.start(KubeletSettings.at(root.resolve("k")), this::happened);
  }

  /** Makes NVML hang, or answer again, from the next scan on. */
  public void machine(boolean hangs) throws IOException {
    String devices =
        IntStream.range(0, cards.count())
            .mapToObj(
                i ->
                    "{\"uuid\":\"%s\",\"model\":\"Card\",\"memory\":\"%dGi\"}"
                        .formatted(cards.uuid(i), cards.gib()))
            .collect(Collectors.joining(","));
    String text = "{\"v\":1,\"hang\":%s,\"devices\":[%s]}".formatted(hangs, devices);
    Path beside = root.resolve("machine.new");
    Files.writeString(beside, text);
    Files.move(beside, root.resolve("machine.json"), StandardCopyOption.ATOMIC_MOVE);
  }

  /** The flags of a plugin that serves this node. */
  public List<String> flags(int port) {
    return List.of(
        "--node-name=" + NODE,
        "--simulated-machine=" + root.resolve("machine.json"),
        "--device-plugin-directory=" + kubelet.settings().devicePlugins(),
        "--pod-resources-socket=" + kubelet.settings().podResourcesSocket(),
        "--kubeconfig=" + root.resolve("kubeconfig"),
        "--listen=127.0.0.1:" + port);
  }

  private void happened(KubeletEvent event) {
    switch (event) {
      case KubeletEvent.PodRunning started -> phase(started.pod(), "Running");
      case KubeletEvent.PodFailed failed ->
          throw new IllegalStateException("expected a running pod but was " + failed);
      case KubeletEvent.ContainerWaiting waiting -> {}
      case KubeletEvent.CapacityChanged changed -> {}
    }
  }

  private void phase(KubeletPod pod, String phase) {
    var _ =
        api.objects()
            .patchStatus(
                ObjectKey.pod(pod.namespace(), pod.name()),
                "{\"status\":{\"phase\":\"" + phase + "\"}}");
  }

  /** Waits until the kubelet can hand out every unit. */
  public void awaitServed() throws InterruptedException {
    if (!kubelet.awaitAllocatable(KEYS.resource(), cards.units(), PATIENCE)) {
      throw new IllegalStateException(
          "expected " + cards.units() + " units but was " + kubelet.allocatable());
    }
  }

  /** Creates a pod and binds it to the node with its units reserved on one card. */
  public KubeletPod bind(String name, int units, int card) {
    String text = Texts.on(NODE, Texts.pod(name, List.of((long) units)));
    var made = api.objects().create(ResourceKind.PODS, text);
    PodUid uid = new PodUid(made.path("metadata").path("uid").asString());
    Reservation plan =
        new Reservation(
            uid,
            new NodeName(NODE),
            DeviceChoice.ANY,
            Map.of(PlannedPod.CONTAINER, Map.of(cards.uuid(card), (long) units)));
    var _ =
        api.objects()
            .patch(
                ObjectKey.pod(PlannedPod.NAMESPACE, name),
                Texts.annotation(KEYS.reservation(), ReservationCodec.encode(plan)));
    return new KubeletPod(
        uid.text(),
        PlannedPod.NAMESPACE,
        name,
        Instant.parse(made.path("metadata").path("creationTimestamp").asString()),
        List.of(KubeletContainer.app(PlannedPod.CONTAINER, KEYS.resource(), units)));
  }

  /** What the kubelet's calls took, by method. */
  public record Calls(List<Duration> preferred, List<Duration> allocate) {}

  /** Has the kubelet admit and start the pods, one after the other, and times its calls. */
  public Calls admit(List<KubeletPod> pods) throws Exception {
    Instant from = Instant.now();
    kubelet.add(pods);
    kubelet.awaitIdle(PATIENCE);
    return new Calls(
        calls(KubeletCall.Method.GET_PREFERRED_ALLOCATION, from),
        calls(KubeletCall.Method.ALLOCATE, from));
  }

  private List<Duration> calls(KubeletCall.Method method, Instant from) {
    List<Duration> took = new ArrayList<>();
    for (KubeletCall call : kubelet.calls(method)) {
      if (!call.startedAt().isBefore(from)) {
        took.add(call.took());
      }
    }
    return took;
  }

  /** Ends a pod: its processes, then its object. */
  public void end(KubeletPod pod) {
    kubelet.terminate(pod.uid());
    kubelet.stopped(pod.uid());
    var _ = api.objects().remove(ObjectKey.pod(pod.namespace(), pod.name()));
  }

  @Override
  public void close() throws IOException {
    machine(false);
    kubelet.close();
    api.close();
  }
}
