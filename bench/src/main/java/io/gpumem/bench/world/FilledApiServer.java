package io.gpumem.bench.world;

import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.AllocationsCodec;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.ReservationCodec;
import io.gpumem.platform.cluster.fake.ApiObjects;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.ResourceKind;
import io.gpumem.platform.cluster.fake.StandInApiServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A stand-in API server that holds a planned cluster as a real one would: pods bound with their
 * reservations, nodes with what their plugins publish. It lives in this process.
 */
public final class FilledApiServer implements AutoCloseable {

  private static final PodUid NOBODY = new PodUid("nobody");
  private static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);

  private final StandInApiServer server = StandInApiServer.start();

  /** Holds this plan from its start. */
  public static FilledApiServer holding(ClusterPlan plan) {
    FilledApiServer filled = new FilledApiServer();
    filled.fill(plan);
    return filled;
  }

  private void fill(ClusterPlan plan) {
    for (int i = 0; i < plan.nodes().size(); i++) {
      String node = plan.nodes().get(i);
      addNode(node, i);
      Map<PlannedPod, PodUid> uids = new HashMap<>();
      for (PlannedPod pod : plan.pods().getOrDefault(node, List.of())) {
        uids.put(pod, add(pod));
      }
      objects()
          .patch(
              ObjectKey.node(node),
              Texts.annotation(
                  KEYS.allocations(),
                  AllocationsCodec.encode(
                      plan.allocations(node, pod -> uids.getOrDefault(pod, NOBODY)))));
    }
  }

  private void addNode(String name, int place) {
    String text = Texts.node(name, ClusterPlan.inventory(place), KEYS);
    objects().create(ResourceKind.NODES, text);
  }

  private PodUid add(PlannedPod pod) {
    PodUid uid = create(Texts.on(pod.node(), Texts.pod(pod.name(), List.of(pod.units()))));
    String plan =
        Texts.annotation(KEYS.reservation(), ReservationCodec.encode(pod.reservation(uid)));
    objects().patch(ObjectKey.pod(PlannedPod.NAMESPACE, pod.name()), plan);
    return uid;
  }

  /** Creates a pod without a node. */
  public PodUid addWaiting(String name, List<Long> units) {
    return create(Texts.pod(name, units));
  }

  private PodUid create(String pod) {
    var made = objects().create(ResourceKind.PODS, pod);
    return new PodUid(made.path("metadata").path("uid").asString());
  }

  /** Takes a pod away. */
  public void remove(String pod) {
    objects().remove(ObjectKey.pod(PlannedPod.NAMESPACE, pod));
  }

  private ApiObjects objects() {
    return server.objects();
  }

  /** Where a client finds it. */
  public String url() {
    return server.url();
  }

  @Override
  public void close() {
    server.close();
  }
}
