package io.gpumem.plugin.kubelet.fake;

import static io.gpumem.plugin.kubelet.fake.Rig.RESOURCE;
import static io.gpumem.plugin.kubelet.fake.Rig.device;
import static io.gpumem.plugin.kubelet.fake.Rig.podOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.proto.podresources.v1.AllocatableResourcesRequest;
import io.gpumem.proto.podresources.v1.ContainerDevices;
import io.gpumem.proto.podresources.v1.ContainerResources;
import io.gpumem.proto.podresources.v1.GetPodResourcesRequest;
import io.gpumem.proto.podresources.v1.ListPodResourcesRequest;
import io.gpumem.proto.podresources.v1.PodResources;
import io.gpumem.proto.podresources.v1.PodResourcesListerGrpc.PodResourcesListerBlockingStub;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StandInKubeletPodResourcesTest {
  @TempDir Path root;

  @Test
  void showsOneDeviceAnEntryInNoOrder() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(20);
      rig.running(podOf("a", 20));

      List<ContainerDevices> entries = get(rig, "a").getContainers(0).getDevicesList();

      List<String> ids = entries.stream().map(entry -> entry.getDeviceIds(0)).toList();
      assertTrue(entries.stream().allMatch(entry -> entry.getDeviceIdsCount() == 1));
      assertTrue(entries.stream().allMatch(entry -> entry.getResourceName().equals(RESOURCE)));
      assertEquals(rig.held("uid-a", "main"), new TreeSet<>(ids));
      assertFalse(ids.equals(List.copyOf(new TreeSet<>(ids))), "the order is not sorted");
    }
  }

  @Test
  void repeatsAnEntryForEachNumaNodeOfItsDevice() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(1);
      plugin.publish(List.of(device(0, "Healthy", 0, 1), device(1, "Healthy")));
      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 2, Rig.LIMIT));
      rig.running(podOf("a", 2));

      List<ContainerDevices> entries = get(rig, "a").getContainers(0).getDevicesList();

      Set<String> shown =
          entries.stream()
              .map(
                  entry ->
                      entry.getDeviceIds(0)
                          + entry.getTopology().getNodesList().stream()
                              .map(node -> "@" + node.getID())
                              .collect(Collectors.joining()))
              .collect(Collectors.toSet());
      assertEquals(Set.of("d00@0", "d00@1", "d01"), shown);
      assertEquals(3, entries.size());
      assertEquals(2, rig.held("uid-a", "main").size());
    }
  }

  @Test
  void showsSidecarsAndAppsButNoOrdinaryInitContainer() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(8);
      rig.running(
          Rig.pod(
              "a",
              KubeletContainer.init("init", RESOURCE, 4),
              KubeletContainer.sidecar("side", RESOURCE, 1),
              KubeletContainer.app("main", RESOURCE, 1),
              KubeletContainer.plain("bare")));

      List<String> names =
          get(rig, "a").getContainersList().stream().map(ContainerResources::getName).toList();

      assertEquals(List.of("side", "main", "bare"), names);
    }
  }

  @Test
  void listsActivePodsOnlyWithOrWithoutDevices() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(8);
      for (String name : List.of("running", "ending", "done", "forced", "stopped")) {
        rig.running(podOf(name, 1));
      }
      rig.running(Rig.pod("bare", KubeletContainer.plain("main")));
      rig.failed(podOf("failed", 9));
      rig.kubelet.terminate("uid-ending");
      rig.kubelet.finish("uid-done");
      rig.kubelet.forceDelete("uid-forced");
      rig.kubelet.terminate("uid-stopped");
      rig.kubelet.stopped("uid-stopped");

      Set<String> names =
          rig
              .podResources()
              .list(ListPodResourcesRequest.getDefaultInstance())
              .getPodResourcesList()
              .stream()
              .map(PodResources::getName)
              .collect(Collectors.toSet());

      assertEquals(Set.of("running", "ending", "bare"), names);
      assertEquals(Set.of("uid-running", "uid-ending"), rig.kubelet.table().keySet());
    }
  }

  @Test
  void showsThePodInAdmissionWithoutTheDevicesInFlight() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      try (AllocateHold hold = rig.kubelet.faults().holdAllocate(AllocateHold.Point.BEFORE_CALL)) {
        rig.kubelet.add(podOf("a", 2));
        assertTrue(hold.awaitHeld(Rig.LIMIT));

        assertEquals(0, get(rig, "a").getContainers(0).getDevicesCount());
      }
      rig.kubelet.awaitIdle(Rig.LIMIT);
      assertEquals(2, get(rig, "a").getContainers(0).getDevicesCount());
    }
  }

  @Test
  void getsTheNewestPodOfAName() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(8);
      rig.running(Rig.pod("uid-1", "web-0", Instant.EPOCH, KubeletContainer.app("m", RESOURCE, 2)));
      rig.kubelet.terminate("uid-1");
      rig.running(Rig.pod("uid-2", "web-0", Instant.EPOCH, KubeletContainer.app("m", RESOURCE, 3)));

      assertEquals(3, get(rig, "web-0").getContainers(0).getDevicesCount());
    }
  }

  @Test
  void refusesToGetAPodItDoesNotKnow() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      Status status =
          assertThrows(StatusRuntimeException.class, () -> get(rig, "nobody")).getStatus();

      assertEquals("pod nobody in namespace team not found", status.getDescription());
      assertEquals(Status.Code.UNKNOWN, status.getCode());
    }
  }

  @Test
  void refusesToGetAFinishedPodUpTo136() throws Exception {
    try (Rig rig = new Rig(KubeletSettings.at(root).withRelease(Release.V1_36))) {
      rig.plugin(4);
      rig.running(podOf("a", 2));
      rig.kubelet.finish("uid-a");

      assertThrows(StatusRuntimeException.class, () -> get(rig, "a"));
    }
  }

  @Test
  void getsAFinishedPodFrom137() throws Exception {
    try (Rig rig = new Rig(KubeletSettings.at(root).withRelease(Release.V1_37))) {
      rig.plugin(4);
      rig.running(podOf("a", 2));
      rig.kubelet.finish("uid-a");

      assertEquals(2, get(rig, "a").getContainers(0).getDevicesCount());
    }
  }

  @Test
  void tellsAllHealthyDevicesAsAllocatableHeldOrNot() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(3);
      rig.running(podOf("a", 1));
      plugin.publish(List.of(device(0, "Healthy"), device(1, "Unhealthy"), device(2, "Healthy")));
      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 2, Rig.LIMIT));

      Set<String> ids =
          rig
              .podResources()
              .getAllocatableResources(AllocatableResourcesRequest.getDefaultInstance())
              .getDevicesList()
              .stream()
              .map(entry -> entry.getDeviceIds(0))
              .collect(Collectors.toSet());

      assertEquals(Set.of("d00", "d02"), ids);
    }
  }

  @Test
  void answersResourceExhaustedToACallerInAHurry() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      PodResourcesListerBlockingStub stub = rig.podResources();
      var futures =
          IntStream.range(0, 400)
              .mapToObj(
                  _ ->
                      CompletableFuture.supplyAsync(
                          () ->
                              code(() -> stub.list(ListPodResourcesRequest.getDefaultInstance()))))
              .toList();

      Set<Status.Code> codes =
          futures.stream().map(future -> future.join()).collect(Collectors.toSet());

      assertTrue(codes.contains(Status.Code.OK), codes::toString);
      assertTrue(codes.contains(Status.Code.RESOURCE_EXHAUSTED), codes::toString);
    }
  }

  @Test
  void allowsTenAtOnceAndAHundredASecond() {
    AtomicLong nanos = new AtomicLong();
    TokenBucket bucket = new TokenBucket(100, 10, nanos::get);
    for (int call = 0; call < 10; call++) {
      assertTrue(bucket.allow());
    }
    assertFalse(bucket.allow());
    nanos.addAndGet(10_000_000);
    assertTrue(bucket.allow());
    assertFalse(bucket.allow());
    nanos.addAndGet(3_600_000_000_000L);
    for (int call = 0; call < 10; call++) {
      assertTrue(bucket.allow());
    }
    assertFalse(bucket.allow());
  }

  @Test
  void answersUnavailableAsOftenAsTold() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      PodResourcesListerBlockingStub stub = rig.podResources();
      rig.kubelet.faults().refusePodResources(1);

      assertEquals(
          Status.Code.UNAVAILABLE,
          code(() -> stub.list(ListPodResourcesRequest.getDefaultInstance())));
      assertEquals(
          Status.Code.OK, code(() -> stub.list(ListPodResourcesRequest.getDefaultInstance())));
      Rig.eventually(
          "both calls are recorded", () -> rig.kubelet.calls(KubeletCall.Method.LIST).size() == 2);
    }
  }

  private static Status.Code code(Runnable call) {
    try {
      call.run();
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  private static PodResources get(Rig rig, String name) {
    return rig.podResources()
        .get(GetPodResourcesRequest.newBuilder().setPodNamespace("team").setPodName(name).build())
        .getPodResources();
  }
}
