package io.gpumem.platform.cluster;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSchedulingGateBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The world through the library's ordinary client: it works on any API server. */
final class KubeWorld implements World {

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final KubernetesClient client;
  private final ClusterSettings.Access access;
  private final String namespace;
  private final List<PodRef> pods = new ArrayList<>();
  private final List<String> nodes = new ArrayList<>();

  /**
   * A world in a namespace that exists.
   *
   * @param suffix makes this test's names its own
   */
  KubeWorld(KubernetesClient client, ClusterSettings.Access access, String suffix) {
    this.client = client;
    this.access = access;
    this.namespace = "default";
    this.suffix = suffix;
  }

  private final String suffix;

  @Override
  public ClusterSettings.Access access() {
    return access;
  }

  @Override
  public String namespace() {
    return namespace;
  }

  @Override
  public String unique(String stem) {
    return stem + "-" + suffix;
  }

  @Override
  public PodRef createPod(String name, Map<String, String> annotations) {
    return create(name, pod -> pod.editMetadata().withAnnotations(annotations).endMetadata());
  }

  @Override
  public PodRef createGatedPod(String name) {
    return create(
        name,
        pod ->
            pod.editSpec()
                .withSchedulingGates(
                    new PodSchedulingGateBuilder().withName("example.com/wait").build())
                .endSpec());
  }

  @Override
  public PodRef createHeldPod(String name) {
    return create(name, pod -> pod.editMetadata().withFinalizers("example.com/hold").endMetadata());
  }

  /** An unknown scheduler's name, so that on a real cluster nobody but us binds it. */
  private PodRef create(String name, UnaryOperator<PodBuilder> change) {
    PodBuilder pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(unique(name))
            .withNamespace(namespace)
            .addToLabels("gpumem-test", suffix)
            .endMetadata()
            .withNewSpec()
            .withSchedulerName("gpumem-test")
            .addNewContainer()
            .withName("main")
            .withImage("none")
            .endContainer()
            .endSpec();
    Pod made = client.resource(change.apply(pod).build()).create();
    PodRef ref = new PodRef(namespace, unique(name), made.getMetadata().getUid());
    pods.add(ref);
    return ref;
  }

  private PodResource pod(PodRef pod) {
    return client.pods().inNamespace(pod.namespace()).withName(pod.name());
  }

  @Override
  public void deletePod(PodRef pod) {
    var _ = pod(pod).withGracePeriod(0).delete();
  }

  @Override
  public void releasePod(PodRef pod) {
    pod(pod).patch(MERGE, "{\"metadata\":{\"finalizers\":null}}");
  }

  @Override
  public void annotatePod(PodRef pod, String key, String value) {
    pod(pod).patch(MERGE, "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}".formatted(key, value));
  }

  @Override
  public void endPod(PodRef pod) {
    pod(pod).subresource("status").patch(MERGE, "{\"status\":{\"phase\":\"Succeeded\"}}");
  }

  @Override
  public void createNode(String name, Map<String, String> labels) {
    var node =
        new NodeBuilder().withNewMetadata().withName(name).withLabels(labels).endMetadata().build();
    var _ = client.resource(node).create();
    nodes.add(name);
  }

  @Override
  public void labelNode(String name, String key, Optional<String> value) {
    String shown = value.map(v -> "\"" + v + "\"").orElse("null");
    client
        .nodes()
        .withName(name)
        .patch(MERGE, "{\"metadata\":{\"labels\":{\"%s\":%s}}}".formatted(key, shown));
  }

  @Override
  public int events(String eventNamespace, String about, String reason) {
    return client
        .v1()
        .events()
        .inNamespace(eventNamespace)
        .withField("involvedObject.name", about)
        .withField("reason", reason)
        .list()
        .getItems()
        .size();
  }

  @Override
  public void close() {
    pods.forEach(
        pod -> {
          if (pod(pod).get() != null) {
            releasePod(pod);
            deletePod(pod);
          }
        });
    nodes.forEach(
        node -> {
          var _ = client.nodes().withName(node).delete();
        });
    client.close();
  }
}
