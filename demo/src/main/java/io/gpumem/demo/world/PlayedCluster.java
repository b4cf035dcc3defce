package io.gpumem.demo.world;

import io.gpumem.core.wire.Keys;
import io.gpumem.extender.http.fake.HttpSchedulerApi;
import io.gpumem.extender.http.fake.StandInScheduler;
import io.gpumem.platform.cluster.ClusterSettings;
import io.gpumem.platform.cluster.KubeCluster;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.Refusal;
import io.gpumem.platform.cluster.fake.ResourceKind;
import io.gpumem.platform.cluster.fake.StandInApiServer;
import io.gpumem.platform.life.Faults;
import io.gpumem.platform.life.Life;
import io.gpumem.platform.time.SystemTime;
import io.gpumem.plugin.kubelet.fake.KubeletSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The cluster around our binaries: one API server, nodes with kubelets, one scheduler. */
public final class PlayedCluster {

  /** Shorter than the real ones, so that nobody has to wait for the demonstration. */
  private static final Duration LEAST_BACK_OFF = Duration.ofMillis(200);

  private static final Duration MOST_BACK_OFF = Duration.ofSeconds(1);

  private final Life life;
  private final Faults faults;
  private final Keys keys;
  private final StandInApiServer server;
  private final KubeCluster cluster;
  private final ExtenderClient extender;
  private final List<PlayedNode> nodes = new ArrayList<>();

  /**
   * Starts the API server; the rest is added.
   *
   * @param life ends everything that is started here
   * @param faults told of what must not happen in a thread here
   * @param extenderUrl where the scheduler finds the extender
   */
  public PlayedCluster(Life life, Faults faults, Keys keys, String extenderUrl) {
    this.life = life;
    this.faults = faults;
    this.keys = keys;
    this.server = life.own("api-server", StandInApiServer.start());
    this.cluster =
        life.own(
            "cluster",
            KubeCluster.connect(
                ClusterSettings.of(new ClusterSettings.Url(server.url()), "gpu-mem-demo")));
    this.extender = life.own("extender-client", new ExtenderClient(extenderUrl));
  }

  /**
   * Adds a node whose kubelet lives under that folder.
   *
   * @throws IOException if its sockets can't be made
   */
  public PlayedNode addNode(String name, Path root) throws IOException {
    // Lenient: breaches of contract are shown at the end, with the other checks.
    KubeletSettings settings = KubeletSettings.at(root).lenient();
    PlayedNode node = new PlayedNode(name, settings, server.objects(), cluster);
    nodes.add(node);
    return life.own(name, node);
  }

  /** Starts the scheduler. */
  public void startScheduler() throws Exception {
    SystemTime time = life.own("time", new SystemTime(faults));
    HttpSchedulerApi api = life.own("scheduler-api", new HttpSchedulerApi(server.url()));
    StandInScheduler.Setup setup =
        StandInScheduler.Setup.of(URI.create(extender.url()), keys)
            .withBackOff(LEAST_BACK_OFF, MOST_BACK_OFF);
    life.start("scheduler", new StandInScheduler(setup, api, time, _ -> {}));
  }

  public Keys keys() {
    return keys;
  }

  public String kubeconfig() {
    return server.kubeconfig();
  }

  public ExtenderClient extender() {
    return extender;
  }

  public List<PlayedNode> nodes() {
    return List.copyOf(nodes);
  }

  /** The node of that name, which must be there. */
  public PlayedNode node(String name) {
    return nodes.stream().filter(node -> node.name().equals(name)).findFirst().orElseThrow();
  }

  /** Requests that nobody should make of an API server. */
  public List<String> misuses() {
    return server.misuses().stream().map(Object::toString).toList();
  }

  public void create(PodPlan plan) {
    server.objects().create(ResourceKind.PODS, plan.toJson());
  }

  /** Deletes the pod as {@code kubectl delete pod} does; nothing happens if it is gone. */
  public void delete(String pod) {
    try {
      server.objects().deletePod(PodPlan.NAMESPACE, pod);
    } catch (Refusal gone) {
      // Somebody was faster.
    }
  }

  /** All pods as the API server has them. */
  public List<PodState> pods() {
    return server.objects().all(ResourceKind.PODS).stream().map(PodState::of).toList();
  }

  /** The pod of that name as the API server has it. */
  public Optional<PodState> pod(String name) {
    return server.objects().find(ObjectKey.pod(PodPlan.NAMESPACE, name)).map(PodState::of);
  }

  /** An annotation of the node. */
  public Optional<String> annotation(String node, String key) {
    return server
        .objects()
        .find(ObjectKey.node(node))
        .map(found -> found.path("metadata").path("annotations").path(key))
        .filter(JsonNode::isString)
        .map(JsonNode::stringValue);
  }

  /** Why kube-scheduler found no node for the pod, as {@code kubectl describe pod} shows it. */
  public Optional<String> unschedulable(String pod) {
    return server
        .objects()
        .find(ObjectKey.pod(PodPlan.NAMESPACE, pod))
        .flatMap(PlayedCluster::unschedulable);
  }

  private static Optional<String> unschedulable(ObjectNode pod) {
    for (JsonNode condition : pod.path("status").path("conditions")) {
      if (condition.path("reason").asString("").equals("Unschedulable")) {
        return Optional.of(condition.path("message").asString(""));
      }
    }
    return Optional.empty();
  }
}
