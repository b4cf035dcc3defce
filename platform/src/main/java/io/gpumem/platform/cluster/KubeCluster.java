package io.gpumem.platform.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeList;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;

/**
 * The API server through the fabric8 client: its configuration, credentials, TLS, HTTP and model.
 * The list-and-watch loop and the writes are ours, see {@link WatchFeed} and {@link ApiCalls}.
 */
public final class KubeCluster implements Cluster {

  /** A server that is there accepts within this. */
  private static final Duration CONNECT = Duration.ofSeconds(5);

  private final KubernetesClient client;
  private final ClusterSettings.Patience patience;
  private final Ticks ticks;
  private final ScheduledExecutorService deadlines;
  private final ApiCalls calls;
  private final Reads reads;
  private final Writes writes;
  private final EventPost events;
  private final List<WatchFeed<?, ?>> feeds = new CopyOnWriteArrayList<>();

  private KubeCluster(KubernetesClient client, ClusterSettings settings, Ticks ticks) {
    this.client = client;
    this.patience = settings.patience();
    this.ticks = ticks;
    this.deadlines =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("cluster deadlines").factory());
    String url = client.getMasterUrl().toString();
    this.calls = new ApiCalls(client.getHttpClient(), url, deadlines, ticks.nanos());
    this.reads = new Reads(calls, client.getKubernetesSerialization());
    this.writes = new Writes(calls, reads, client.getKubernetesSerialization(), ticks);
    this.events =
        new EventPost(calls, client.getKubernetesSerialization(), settings.component(), ticks);
  }

  /**
   * Prepares the client, about a second's work; the server is not asked for anything yet.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException when the kubeconfig or the
   *     certificates in it can't be read
   */
  public static KubeCluster connect(ClusterSettings settings) {
    return over(
        new KubernetesClientBuilder().withConfig(config(settings)).build(),
        settings,
        Ticks.system());
  }

  static KubeCluster over(KubernetesClient client, ClusterSettings settings, Ticks ticks) {
    return new KubeCluster(client, settings, ticks);
  }

  /**
   * HTTP/1.1, because on a dead HTTP/2 connection every request hangs together, watches included,
   * and the JDK's client doesn't ping; with 1.1 each watch has a connection of its own. No retries
   * by the library: it would send a write twice.
   */
  private static Config config(ClusterSettings settings) {
    ConfigBuilder found =
        switch (settings.access()) {
          // Not copied from a finished Config: only one that configured itself reads a service
          // account's token again when the kubelet has replaced it.
          case ClusterSettings.Ambient() -> new ConfigBuilder();
          case ClusterSettings.Kubeconfig(var file) ->
              new ConfigBuilder(Config.fromKubeconfig(file.toFile())).withAutoConfigure(false);
          case ClusterSettings.Url(String url) ->
              new ConfigBuilder(Config.empty()).withAutoConfigure(false).withMasterUrl(url);
        };
    return found
        .withUserAgent(settings.component())
        .withHttp2Disable(true)
        .withConnectionTimeout((int) CONNECT.toMillis())
        .withRequestTimeout((int) settings.patience().request().toMillis())
        .withRequestRetryBackoffLimit(0)
        .build();
  }

  @Override
  public <T> Feed watchPods(
      PodSelection selection, Function<Pod, Optional<T>> trim, FeedListener<T> listener) {
    var target =
        new ListWatch.Target<>(
            selection.label(),
            "/api/v1/pods",
            Map.of("fieldSelector", selection.fieldSelector()),
            Pod.class,
            PodList.class);
    return feed(target, trim, listener);
  }

  @Override
  public <T> Feed watchNodes(
      NodeSelection selection, Function<Node, Optional<T>> trim, FeedListener<T> listener) {
    Map<String, String> selectors =
        switch (selection) {
          case NodeSelection.Labelled(String key) -> Map.of("labelSelector", key);
          case NodeSelection.Named(String name) -> Map.of("fieldSelector", "metadata.name=" + name);
          case NodeSelection.All() -> Map.of();
        };
    var target =
        new ListWatch.Target<>("nodes", "/api/v1/nodes", selectors, Node.class, NodeList.class);
    return feed(target, trim, listener);
  }

  private <O extends HasMetadata, T> Feed feed(
      ListWatch.Target<O> target, Function<O, Optional<T>> trim, FeedListener<T> listener) {
    var source =
        new ListWatch<>(target, calls, client.getKubernetesSerialization(), patience, ticks);
    var feed = new WatchFeed<>(source, trim, listener, patience, deadlines, ticks);
    feeds.removeIf(WatchFeed::closed);
    feeds.add(feed);
    feed.start();
    return feed;
  }

  @Override
  public <T> Reading<T> readPod(
      String namespace, String name, Function<Pod, Optional<T>> trim, Duration deadline) {
    return reads.pod(namespace, name, trim, deadline);
  }

  @Override
  public <T> Reading<T> readNode(String name, Function<Node, Optional<T>> trim) {
    return reads.node(name, trim, patience.request());
  }

  @Override
  public BindOutcome bind(
      PodRef pod, String node, Map<String, String> annotations, Duration deadline) {
    return writes.bind(pod, node, annotations, deadline);
  }

  @Override
  public PatchOutcome patchNode(
      String node,
      Map<String, Optional<String>> annotations,
      Map<String, Optional<String>> labels) {
    return writes.patchNode(node, annotations, labels, patience.request());
  }

  @Override
  public void event(EventNote note) {
    events.offer(note);
  }

  @Override
  public EventCounts eventCounts() {
    return events.counts();
  }

  @Override
  public void close() {
    feeds.forEach(WatchFeed::close);
    events.close();
    deadlines.shutdownNow();
    client.close();
  }
}
