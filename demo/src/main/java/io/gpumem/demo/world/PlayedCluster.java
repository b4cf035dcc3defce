package io.gpumem.demo.world;

import io.gpumem.core.wire.Keys;
import io.gpumem.platform.cluster.ClusterSettings;
import io.gpumem.platform.cluster.KubeCluster;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.Refusal;
import io.gpumem.platform.cluster.fake.ResourceKind;
import io.gpumem.platform.cluster.fake.StandInApiServer;
import io.gpumem.platform.life.Life;
import io.gpumem.plugin.kubelet.fake.KubeletSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The cluster around our binaries: one API server, nodes with kubelets, one scheduler. */
public final class PlayedCluster {

  private static final long SEED = 1;

  private final Life life;
  private final Keys keys;
  private final StandInApiServer server;
  private final KubeCluster cluster;
  private final ExtenderClient extender;
  private final List<PlayedNode> nodes = new ArrayList<>();

  /**
   * Starts the API server; the rest is added.
   *
   * @param life ends everything that is started here
   * @param extenderUrl where the scheduler finds the extender
   */
  public PlayedCluster(Life life, Keys keys, String extenderUrl) {
    this.life = life;
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
  public void startScheduler() {
    Scheduling scheduling = new Scheduling(server.objects(), extender, keys.resource(), SEED);
    var unused = life.own("scheduler", new PlayedScheduler(cluster, keys, scheduling));
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

  /** The text of the pod's newest FailedScheduling event. */
  public Optional<String> failedScheduling(String pod) {
    List<ObjectNode> events = server.objects().all(ResourceKind.EVENTS);
    return events.stream()
        .filter(event -> event.path("reason").asString("").equals("FailedScheduling"))
        .filter(event -> event.path("involvedObject").path("name").asString("").equals(pod))
        .map(event -> event.path("message").asString(""))
        .reduce((older, newer) -> newer);
  }
}
