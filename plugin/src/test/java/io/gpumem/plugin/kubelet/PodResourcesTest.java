package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.wire.Keys;
import io.gpumem.platform.time.ThreadLoop;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.HolderCheck;
import io.gpumem.plugin.allocate.Reading;
import io.gpumem.proto.podresources.v1.ContainerDevices;
import io.gpumem.proto.podresources.v1.ContainerResources;
import io.gpumem.proto.podresources.v1.GetPodResourcesRequest;
import io.gpumem.proto.podresources.v1.GetPodResourcesResponse;
import io.gpumem.proto.podresources.v1.ListPodResourcesRequest;
import io.gpumem.proto.podresources.v1.ListPodResourcesResponse;
import io.gpumem.proto.podresources.v1.PodResourcesListerGrpc;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kubelet's table in the odd shapes in which the kubelet really gives it. */
final class PodResourcesTest {

  private static final String RESOURCE = Keys.DEFAULT_RESOURCE;
  private static final String OTHERS = "example.com/gpu";
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final DeviceUuid GPU = new DeviceUuid("GPU-00000000-0000-4000-8000-000000000001");
  private static final PodName POD = new PodName("team-a", "train-0");
  private static final int DEFAULT_LIMIT_BYTES = 4 << 20;

  @TempDir Path root;

  private final UnixSockets sockets = new UnixSockets();
  private final Kubelet kubelet = new Kubelet();
  private Server server;
  private PodResources resources;

  /** Answers with what it is given, after so many refusals. */
  private static final class Kubelet extends PodResourcesListerGrpc.PodResourcesListerImplBase {
    final AtomicInteger lists = new AtomicInteger();
    final AtomicInteger refusals = new AtomicInteger();
    volatile ListPodResourcesResponse table = ListPodResourcesResponse.getDefaultInstance();

    @Override
    public void list(
        ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> answer) {
      lists.incrementAndGet();
      if (refused(answer)) {
        return;
      }
      answer.onNext(table);
      answer.onCompleted();
    }

    @Override
    public void get(
        GetPodResourcesRequest request, StreamObserver<GetPodResourcesResponse> answer) {
      if (refused(answer)) {
        return;
      }
      answer.onNext(
          GetPodResourcesResponse.newBuilder().setPodResources(table.getPodResources(0)).build());
      answer.onCompleted();
    }

    private boolean refused(StreamObserver<?> answer) {
      boolean refused = refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
      if (refused) {
        answer.onError(
            Status.RESOURCE_EXHAUSTED.withDescription("rejected by rate limit").asException());
      }
      return refused;
    }
  }

  @BeforeEach
  void serve() throws Exception {
    Path socket = root.resolve("kubelet.sock");
    server = sockets.serve(socket, kubelet);
    resources = new PodResources(sockets, socket, RESOURCE, System::nanoTime);
  }

  @AfterEach
  void end() {
    resources.close();
    server.shutdownNow();
    sockets.close();
  }

  @Test
  void readsATableLargerThanGrpcTakesUnlessTold() {
    var pod = pod();
    int units = 70_000;
    for (int number = 0; number < units; number++) {
      pod.addContainers(container("c" + number / 1000, RESOURCE, id(number)));
    }
    kubelet.table = ListPodResourcesResponse.newBuilder().addPodResources(pod).build();
    assertTrue(kubelet.table.getSerializedSize() > DEFAULT_LIMIT_BYTES);

    Reading reading = read();

    assertEquals(units, reading.containers().values().stream().mapToInt(Set::size).sum());
    assertEquals(70, reading.containers().size());
  }

  @Test
  void takesTheUnionOfEntriesThatNameOneIdEachAndRepeatThemselves() {
    // One entry per ID, once more for each NUMA node of the device, in no order, among others'.
    kubelet.table =
        ListPodResourcesResponse.newBuilder()
            .addPodResources(
                pod()
                    .addContainers(
                        ContainerResources.newBuilder()
                            .setName("main")
                            .addDevices(devices(RESOURCE, id(2)))
                            .addDevices(devices(OTHERS, "GPU-other"))
                            .addDevices(devices(RESOURCE, id(0)))
                            .addDevices(devices(RESOURCE, id(2)))
                            .addDevices(devices(RESOURCE, "no ID of ours")))
                    .addContainers(ContainerResources.newBuilder().setName("proxy")))
            .build();
    Map<String, Set<DeviceId>> expected =
        Map.of("main", Set.of(new DeviceId(GPU, 0), new DeviceId(GPU, 2)));

    assertEquals(expected, read().containers());
    var held = assertInstanceOf(HolderCheck.Held.Listed.class, resources.ask(POD, LIMIT));
    assertEquals(expected, held.reading().containers());
  }

  @Test
  void takesARateLimitForNoKnowledgeAndNotForAnEmptyTable() {
    kubelet.table = ListPodResourcesResponse.newBuilder().addPodResources(pod()).build();
    kubelet.refusals.set(2);

    var failed = assertInstanceOf(PodResources.Listed.Failed.class, resources.list(LIMIT));
    assertTrue(failed.why().contains("RESOURCE_EXHAUSTED"), failed::why);
    var unknown = assertInstanceOf(HolderCheck.Held.Unknown.class, resources.ask(POD, LIMIT));
    assertTrue(unknown.why().contains("RESOURCE_EXHAUSTED"), unknown::why);
  }

  @Test
  void asksAgainAfterRefusalsUntilTheTableIsRead() throws Exception {
    kubelet.refusals.set(3);
    CountDownLatch read = new CountDownLatch(1);
    Allocator allocator =
        new Allocator(
            new NodeName("n1"),
            Allocator.Matching.ON,
            Duration.ZERO,
            () -> true,
            resources,
            System::nanoTime,
            event -> {});
    try (TableReader reader =
        new TableReader(resources, allocator, System::nanoTime, ThreadLoop::new, read::countDown)) {
      reader.start();

      assertTrue(reader.awaitFirst(LIMIT));
      assertTrue(read.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
    }
    assertEquals(4, kubelet.lists.get());
    assertFalse(kubelet.refusals.get() > 0);
  }

  private Reading read() {
    var table = assertInstanceOf(PodResources.Listed.Table.class, resources.list(LIMIT));
    assertEquals(1, table.readings().size());
    assertEquals(POD, table.readings().getFirst().name());
    return table.readings().getFirst();
  }

  private static io.gpumem.proto.podresources.v1.PodResources.Builder pod() {
    return io.gpumem.proto.podresources.v1.PodResources.newBuilder()
        .setNamespace(POD.namespace())
        .setName(POD.name());
  }

  private static ContainerResources container(String name, String resource, String id) {
    return ContainerResources.newBuilder().setName(name).addDevices(devices(resource, id)).build();
  }

  private static ContainerDevices devices(String resource, String id) {
    return ContainerDevices.newBuilder().setResourceName(resource).addDeviceIds(id).build();
  }

  private static String id(int number) {
    return new DeviceId(GPU, number).toString();
  }
}
