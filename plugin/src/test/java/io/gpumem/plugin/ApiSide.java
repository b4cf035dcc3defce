package io.gpumem.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.placement.Placement;
import io.gpumem.core.placement.Verdict;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.ReservationCodec;
import io.gpumem.platform.cluster.BindOutcome;
import io.gpumem.platform.cluster.Cluster;
import io.gpumem.platform.cluster.ClusterSettings;
import io.gpumem.platform.cluster.KubeCluster;
import io.gpumem.platform.cluster.PodRef;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.ResourceKind;
import io.gpumem.platform.cluster.fake.StandInApiServer;
import io.gpumem.platform.facts.KubeFacts;
import io.gpumem.plugin.kubelet.fake.KubeletContainer;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * The API server and who writes to it besides the plugin: users, who create pods, and an extender,
 * which places them by core's own placement on the published books and binds.
 */
final class ApiSide implements AutoCloseable {

  static final String NAMESPACE = "team-a";
  static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);

  private static final Duration BIND_LIMIT = Duration.ofSeconds(5);

  final StandInApiServer server = StandInApiServer.start();
  private final String node;
  private final Cluster cluster;
  private final KubeFacts facts = new KubeFacts(KEYS, (what, why) -> {});

  ApiSide(String node) {
    this.node = node;
    this.cluster =
        KubeCluster.connect(
            ClusterSettings.of(new ClusterSettings.Url(server.url()), "test-extender"));
    server.objects().create(ResourceKind.NODES, "{\"metadata\":{\"name\":\"" + node + "\"}}");
  }

  /** Creates a pod; the kubelet's view of it is the result. */
  KubeletPod create(String name, KubeletContainer... containers) {
    var made = server.objects().create(ResourceKind.PODS, json(name, List.of(containers)));
    return new KubeletPod(
        made.path("metadata").path("uid").asString(),
        NAMESPACE,
        name,
        Instant.parse(made.path("metadata").path("creationTimestamp").asString()),
        List.of(containers));
  }

  static KubeletContainer main(int units) {
    return KubeletContainer.app("main", Keys.DEFAULT_RESOURCE, units);
  }

  private static String json(String name, List<KubeletContainer> containers) {
    return "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\"},\"spec\":{\"initContainers\":[%s],\"containers\":[%s]}}"
        .formatted(
            name,
            NAMESPACE,
            containers.stream()
                .filter(each -> each.kind() != KubeletContainer.Kind.APP)
                .map(ApiSide::json)
                .collect(Collectors.joining(",")),
            containers.stream()
                .filter(each -> each.kind() == KubeletContainer.Kind.APP)
                .map(ApiSide::json)
                .collect(Collectors.joining(",")));
  }

  private static String json(KubeletContainer container) {
    String limits =
        container.requests().entrySet().stream()
            .map(each -> "\"" + each.getKey() + "\":\"" + each.getValue() + "\"")
            .collect(Collectors.joining(","));
    String restart =
        container.kind() == KubeletContainer.Kind.SIDECAR ? ",\"restartPolicy\":\"Always\"" : "";
    return "{\"name\":\"%s\",\"image\":\"busybox\",\"resources\":{\"limits\":{%s}}%s}"
        .formatted(container.name(), limits, restart);
  }

  /** Places and binds; container to device to units as it was written. */
  Map<String, Map<DeviceUuid, Long>> bind(KubeletPod pod) {
    return bind(pod, Policy.BINPACK);
  }

  Map<String, Map<DeviceUuid, Long>> bind(KubeletPod pod, Policy policy) {
    long deadline = System.nanoTime() + PluginOnSockets.LIMIT.toNanos();
    Verdict verdict = place(pod, policy);
    while (verdict instanceof Verdict.Refused && System.nanoTime() < deadline) {
      // As a scheduler does: what just ended may be in the published books for a moment more.
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
      verdict = place(pod, policy);
    }
    var fits = assertInstanceOf(Verdict.Fits.class, verdict);
    bindTo(pod, fits.containers());
    return fits.containers();
  }

  private Verdict place(KubeletPod pod, Policy policy) {
    return Placement.place(
        pod(pod).orElseThrow().demand(), DeviceChoice.ANY, policy, books().ledger());
  }

  /** Binds with this plan. */
  void bindTo(KubeletPod pod, Map<String, Map<DeviceUuid, Long>> plan) {
    Reservation reservation =
        new Reservation(pod(pod).orElseThrow().uid(), new NodeName(node), DeviceChoice.ANY, plan);
    bindWith(pod, Map.of(KEYS.reservation(), ReservationCodec.encode(reservation)));
  }

  /** Binds as a scheduler does that never heard of us. */
  void bindPlain(KubeletPod pod) {
    bindWith(pod, Map.of());
  }

  private void bindWith(KubeletPod pod, Map<String, String> annotations) {
    BindOutcome outcome =
        cluster.bind(
            new PodRef(pod.namespace(), pod.name(), pod.uid()), node, annotations, BIND_LIMIT);
    assertEquals(new BindOutcome.Bound(), outcome);
  }

  /** The pod as the plugin keeps it; empty when it is gone or has ended. */
  Optional<PodFacts> pod(KubeletPod pod) {
    return server
        .objects()
        .find(ObjectKey.pod(pod.namespace(), pod.name()))
        .flatMap(found -> facts.pod(Serialization.unmarshal(found.toString(), Pod.class)));
  }

  /** The books as an extender reckons them from what is published and bound now. */
  NodeBooks books() {
    return NodeBooks.of(published().orElseThrow(), boundPods());
  }

  /** What the plugin has published; empty before it has. */
  Optional<NodeFacts> published() {
    String text = server.objects().find(ObjectKey.node(node)).orElseThrow().toString();
    return facts.node(Serialization.unmarshal(text, Node.class));
  }

  private List<PodFacts> boundPods() {
    return server.objects().all(ResourceKind.PODS).stream()
        .map(found -> facts.pod(Serialization.unmarshal(found.toString(), Pod.class)))
        .flatMap(Optional::stream)
        .filter(pod -> pod.node().isPresent())
        .toList();
  }

  /** Used units of each device, by the extender's reckoning; only devices that are used. */
  Map<DeviceUuid, Long> used() {
    Map<DeviceUuid, Long> used = new TreeMap<>();
    NodeBooks books = books();
    for (var device : books.ledger().inventory().devices()) {
      if (books.ledger().used(device.uuid()) > 0) {
        used.put(device.uuid(), books.ledger().used(device.uuid()));
      }
    }
    return used;
  }

  /** What the plugin published as the kubelet's table, by pod name. */
  Map<String, Map<String, Map<DeviceUuid, Long>>> truth() {
    Map<String, Map<String, Map<DeviceUuid, Long>>> truth = new TreeMap<>();
    published()
        .ifPresent(
            node ->
                node.allocations()
                    .pods()
                    .values()
                    .forEach(pod -> truth.put(pod.name().name(), pod.containers())));
    return truth;
  }

  Optional<String> nodeAnnotation(String key) {
    return server
        .objects()
        .find(ObjectKey.node(node))
        .map(found -> found.path("metadata").path("annotations").path(key))
        .filter(value -> !value.isMissingNode())
        .map(value -> value.asString());
  }

  void annotateNode(String key, String value) {
    server
        .objects()
        .patch(
            ObjectKey.node(node),
            "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}"
                .formatted(key, value.replace("\"", "\\\"")));
  }

  void phase(KubeletPod pod, String phase) {
    ObjectKey key = ObjectKey.pod(pod.namespace(), pod.name());
    if (server.objects().find(key).isPresent()) {
      server.objects().patchStatus(key, "{\"status\":{\"phase\":\"" + phase + "\"}}");
    }
  }

  void remove(KubeletPod pod) {
    server.objects().remove(ObjectKey.pod(pod.namespace(), pod.name()));
  }

  /** Reasons of the events that were left, with their texts. */
  List<String> events() {
    return server.objects().all(ResourceKind.EVENTS).stream()
        .map(
            event ->
                event.path("reason").asString("")
                    + ": "
                    + event.path("note").asString("")
                    + event.path("message").asString(""))
        .toList();
  }

  @Override
  public void close() {
    cluster.close();
    server.close();
  }
}
