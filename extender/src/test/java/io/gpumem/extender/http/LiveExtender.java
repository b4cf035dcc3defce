package io.gpumem.extender.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.InventoryCodec;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.ReservationCodec;
import io.gpumem.extender.Extender;
import io.gpumem.extender.ExtenderConfig;
import io.gpumem.extender.Given;
import io.gpumem.platform.cluster.ClusterSettings;
import io.gpumem.platform.cluster.KubeCluster;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.ResourceKind;
import io.gpumem.platform.cluster.fake.StandInApiServer;
import io.gpumem.platform.life.fake.RecordedFaults;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.platform.options.HostPort;
import io.gpumem.platform.time.SystemTime;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The extender as it ships, over HTTP, on a stand-in API server. */
public final class LiveExtender implements AutoCloseable {

  static final ObjectMapper JSON = JsonMapper.builder().build();
  static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);
  static final String TEAM = "team-a";
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  final StandInApiServer api = StandInApiServer.start();
  private final Duration bindTimeout;
  private final Duration blindLimit;
  private final HttpClient http = HttpClient.newHttpClient();
  private final RecordedFaults faults = new RecordedFaults();
  private final SystemTime time = new SystemTime(faults);
  private KubeCluster cluster;
  private Extender extender;

  LiveExtender() {
    this(Duration.ofSeconds(4), Duration.ofMinutes(1));
  }

  LiveExtender(Duration bindTimeout, Duration blindLimit) {
    this.bindTimeout = bindTimeout;
    this.blindLimit = blindLimit;
    cluster = connect();
    extender = start();
    awaitReady();
  }

  private KubeCluster connect() {
    return KubeCluster.connect(
        ClusterSettings.of(new ClusterSettings.Url(api.url()), "gpu-mem-extender"));
  }

  private Extender start() {
    var config =
        new ExtenderConfig(
            KEYS,
            new HostPort("127.0.0.1", 0),
            new ClusterSettings.Url(api.url()),
            Policy.BINPACK,
            bindTimeout,
            blindLimit);
    var started = new Extender(config, cluster, time, new Metrics(), faults);
    try {
      started.start();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return started;
  }

  private void awaitReady() {
    await(() -> get("/readyz").statusCode() == 200);
  }

  /** Ends the extender and starts another, which knows only what the API server knows. */
  void restart() {
    restartWithoutWaiting();
    awaitReady();
  }

  void restartWithoutWaiting() {
    stop();
    cluster = connect();
    extender = start();
  }

  private void stop() {
    try {
      extender.stop();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    cluster.close();
  }

  String url() {
    return "http://127.0.0.1:" + extender.port();
  }

  long generation() {
    return extender.view().snapshot().generation();
  }

  static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + DEADLINE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("expected it within " + DEADLINE);
      }
      Thread.onSpinWait();
    }
  }

  /** A ready node with a plugin and devices of so many units. */
  void node(String name, long... units) {
    node(Given.node(name, units));
  }

  void node(NodeFacts facts) {
    ObjectNode node = JSON.createObjectNode();
    ObjectNode metadata = node.putObject("metadata").put("name", facts.name().text());
    metadata.putObject("labels").put(KEYS.unitLabel(), "1Gi");
    metadata.putObject("annotations").put(KEYS.devices(), InventoryCodec.encode(facts.inventory()));
    api.objects().create(ResourceKind.NODES, node);
    String sum = Long.toString(facts.inventory().units());
    api.objects()
        .patchStatus(
            ObjectKey.node(facts.name().text()),
            """
            {"status":{"conditions":[{"type":"Ready","status":"True"}],
              "allocatable":{"example.com/gpu-mem":"%s"}}}
            """
                .formatted(sum));
    await(() -> extender.view().snapshot().node(facts.name()).isPresent());
  }

  /** A container's JSON; {@code quantity} empty for one without a request. */
  static String container(String name, String quantity, boolean always) {
    String policy = always ? ",\"restartPolicy\":\"Always\"" : "";
    String limits = quantity.isEmpty() ? "" : "\"example.com/gpu-mem\":\"" + quantity + "\"";
    return "{\"name\":\"%s\",\"image\":\"busybox\"%s,\"resources\":{\"limits\":{%s}}}"
        .formatted(name, policy, limits);
  }

  static String spec(String name, List<String> inits, List<String> apps) {
    return """
    {"metadata":{"name":"%s","namespace":"%s"},
     "spec":{"initContainers":[%s],"containers":[%s]}}
    """
        .formatted(name, TEAM, String.join(",", inits), String.join(",", apps));
  }

  /** Creates a pod of one container and waits until the extender's watch has passed it. */
  JsonNode pod(String name, String quantity) {
    return pod(spec(name, List.of(), List.of(container("main", quantity, false))));
  }

  JsonNode pod(String json) {
    return api.objects().create(ResourceKind.PODS, json);
  }

  /** A pod that is on a node since before the extender, with a plan for one device. */
  JsonNode boundPod(String name, long units, String node, int index, String status) {
    JsonNode made = pod(name, Long.toString(units));
    var pod = Given.bound(Given.pod(name, units), node, index);
    Reservation plan = pod.reservation().understood().orElseThrow();
    var own = new Reservation(new PodUid(uid(made)), plan.node(), plan.choice(), plan.containers());
    bindByOthers(made, node, Optional.of(ReservationCodec.encode(own)));
    status(name, status);
    return made;
  }

  /** Binds as somebody else than the extender does. */
  void bindByOthers(JsonNode pod, String node, Optional<String> reservation) {
    ObjectNode binding = JSON.createObjectNode();
    ObjectNode metadata = binding.putObject("metadata").put("name", name(pod));
    reservation.ifPresent(text -> metadata.putObject("annotations").put(KEYS.reservation(), text));
    binding.putObject("target").put("kind", "Node").put("name", node);
    HttpResponse<String> response =
        send(
            api.url() + "/api/v1/namespaces/" + TEAM + "/pods/" + name(pod) + "/binding",
            binding.toString());
    if (response.statusCode() != 201) {
      throw new AssertionError(response.body());
    }
  }

  void status(String name, String status) {
    api.objects()
        .patchStatus(ObjectKey.pod(TEAM, name), "{\"status\":{\"phase\":\"" + status + "\"}}");
  }

  void delete(String name) {
    api.objects().remove(ObjectKey.pod(TEAM, name));
  }

  static String name(JsonNode pod) {
    return pod.path("metadata").path("name").asString();
  }

  static String uid(JsonNode pod) {
    return pod.path("metadata").path("uid").asString();
  }

  /** The pod's plan as it stands in the API server. */
  Map<String, Map<DeviceUuid, Long>> cards(String name) {
    JsonNode pod = api.objects().find(ObjectKey.pod(TEAM, name)).orElseThrow();
    String text = pod.path("metadata").path("annotations").path(KEYS.reservation()).asString("");
    return ReservationCodec.decode(text.isEmpty() ? Optional.empty() : Optional.of(text))
        .understood()
        .map(Reservation::containers)
        .orElse(Map.of());
  }

  HttpResponse<String> filterRaw(String body) {
    return send(url() + "/filter", body);
  }

  JsonNode filter(JsonNode pod, String... names) {
    ObjectNode args = JSON.createObjectNode();
    args.set("Pod", pod);
    args.putNull("Nodes");
    ArrayNode list = args.putArray("NodeNames");
    List.of(names).forEach(list::add);
    return JSON.readTree(filterRaw(args.toString()).body());
  }

  boolean fits(JsonNode pod, String node) {
    return texts(filter(pod, node).path("NodeNames")).equals(List.of(node));
  }

  JsonNode bind(JsonNode pod, String node) {
    ObjectNode args = JSON.createObjectNode();
    args.put("PodName", name(pod)).put("PodNamespace", TEAM).put("PodUID", uid(pod));
    args.put("Node", node);
    return JSON.readTree(send(url() + "/bind", args.toString()).body());
  }

  void mustBind(JsonNode pod, String node) {
    String error = bind(pod, node).path("Error").asString();
    if (!error.isEmpty()) {
      throw new AssertionError("bind of " + name(pod) + ": " + error);
    }
  }

  /** Units that are taken on a node's device, by the page for people. */
  long used(String node, int index) {
    return device(node, index).path("used").asLong();
  }

  private JsonNode device(String node, int index) {
    for (JsonNode each : nodes().path("nodes")) {
      if (each.path("name").asString().equals(node)) {
        return each.path("devices").path(index);
      }
    }
    throw new AssertionError("no node " + node);
  }

  JsonNode nodes() {
    return JSON.readTree(get("/api/v1/nodes").body());
  }

  JsonNode explain(String name) {
    return JSON.readTree(get("/api/v1/explain?pod=" + TEAM + "/" + name).body());
  }

  HttpResponse<String> get(String path) {
    return send(HttpRequest.newBuilder(URI.create(url() + path)).GET().build());
  }

  HttpResponse<String> send(String to, String body) {
    return send(to, body.getBytes(UTF_8));
  }

  HttpResponse<String> send(String to, byte[] body) {
    return send(
        HttpRequest.newBuilder(URI.create(to))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build());
  }

  private HttpResponse<String> send(HttpRequest request) {
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static List<String> texts(JsonNode array) {
    return array.valueStream().map(JsonNode::asString).toList();
  }

  @Override
  public void close() {
    stop();
    http.close();
    time.close();
    api.close();
    faults.close();
  }
}
