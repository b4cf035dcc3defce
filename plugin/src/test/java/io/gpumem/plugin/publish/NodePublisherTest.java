package io.gpumem.plugin.publish;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.cluster.ClusterSettings;
import io.gpumem.platform.cluster.KubeCluster;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.RecordedRequest;
import io.gpumem.platform.cluster.fake.ResourceKind;
import io.gpumem.platform.cluster.fake.StandInApiServer;
import io.gpumem.platform.time.ThreadLoop;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each patch of a node is an event to all who watch it: how many there are is what matters. */
final class NodePublisherTest {

  private static final String NODE = "n1";
  private static final String KEY = "example.com/gpu-mem.summary";
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final NodeKeys NOTHING = new NodeKeys(Map.of(), Map.of());

  private final StandInApiServer server = StandInApiServer.start();
  private final KubeCluster cluster =
      KubeCluster.connect(ClusterSettings.of(new ClusterSettings.Url(server.url()), "test"));
  private final AtomicReference<NodeKeys> wanted = new AtomicReference<>(NOTHING);
  private final BlockingQueue<NodePublisher.Event> events = new LinkedBlockingQueue<>();
  private final NodePublisher publisher =
      new NodePublisher(
          cluster, NODE, ThreadLoop::new, () -> Optional.of(wanted.get()), events::add);

  NodePublisherTest() {
    server.objects().create(ResourceKind.NODES, "{\"metadata\":{\"name\":\"" + NODE + "\"}}");
    publisher.found(NOTHING);
    publisher.start();
  }

  @AfterEach
  void end() {
    publisher.close();
    cluster.close();
    server.close();
  }

  @Test
  void writesABurstOfChangesInFewPatches() throws Exception {
    for (int i = 1; i <= 200; i++) {
      want("books " + i);
    }
    awaitThere("books 200");

    assertTrue(patches().size() <= 5, () -> patches().size() + " patches");
  }

  @Test
  void writesNothingWhileNothingChanges() throws Exception {
    want("same");
    awaitThere("same");
    publisher.found(wanted.get());
    for (int i = 0; i < 100; i++) {
      want("same");
    }
    want("other");
    awaitThere("other");

    assertEquals(2, patches().size());
  }

  @Test
  void writesOnlyTheKeysThatDiffer() throws Exception {
    wanted.set(new NodeKeys(Map.of(KEY, "a", "example.com/gpu-mem.devices", "same"), Map.of()));
    publisher.nudge();
    awaitThere("a");
    wanted.set(new NodeKeys(Map.of(KEY, "b", "example.com/gpu-mem.devices", "same"), Map.of()));
    publisher.nudge();
    awaitThere("b");

    assertTrue(!patches().getLast().body().contains("devices"), patches().getLast()::body);
  }

  @Test
  void triesAgainAfterARefusalWithWhatIsTrueThen() throws Exception {
    server.refuseNext(request -> request.method().equals("PATCH"), 500, "InternalError", "no");
    want("old");
    assertEquals(NodePublisher.Event.FAILED, events.poll(LIMIT.toSeconds(), TimeUnit.SECONDS));
    want("new");
    awaitThere("new");

    assertEquals(NodePublisher.Event.PUBLISHED, events.poll(LIMIT.toSeconds(), TimeUnit.SECONDS));
  }

  private void want(String summary) {
    wanted.set(new NodeKeys(Map.of(KEY, summary), Map.of()));
    publisher.nudge();
  }

  private void awaitThere(String summary) throws InterruptedException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!there().equals(summary)) {
      assertTrue(System.nanoTime() < deadline, () -> "expected " + summary + " but was " + there());
      Thread.sleep(10);
    }
  }

  private String there() {
    return server
        .objects()
        .find(ObjectKey.node(NODE))
        .orElseThrow()
        .at("/metadata/annotations")
        .path(KEY)
        .asString("");
  }

  private List<RecordedRequest> patches() {
    return server.requests().stream().filter(request -> request.method().equals("PATCH")).toList();
  }
}
