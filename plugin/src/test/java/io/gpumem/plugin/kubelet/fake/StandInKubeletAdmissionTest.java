package io.gpumem.plugin.kubelet.fake;

import static io.gpumem.plugin.kubelet.fake.Rig.RESOURCE;
import static io.gpumem.plugin.kubelet.fake.Rig.device;
import static io.gpumem.plugin.kubelet.fake.Rig.podOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.plugin.kubelet.fake.KubeletEvent.PodFailed;
import io.gpumem.plugin.kubelet.fake.KubeletEvent.PodRunning;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.CDIDevice;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.DeviceSpec;
import io.gpumem.proto.deviceplugin.v1beta1.Mount;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StandInKubeletAdmissionTest {
  @TempDir Path root;

  @Test
  void givesTheContainerWhatThePluginAnswered() throws Exception {
    ContainerAllocateResponse answer =
        ContainerAllocateResponse.newBuilder()
            .putEnvs("NVIDIA_VISIBLE_DEVICES", "GPU-1")
            .putAnnotations("a", "b")
            .addMounts(Mount.newBuilder().setContainerPath("/in").setHostPath("/out"))
            .addDevices(DeviceSpec.newBuilder().setContainerPath("/dev/x").setPermissions("rw"))
            .addCdiDevices(CDIDevice.newBuilder().setName("nvidia.com/gpu=GPU-1"))
            .build();
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(3).allocate = _ -> List.of(answer);

      PodRunning running = rig.running(podOf("a", 2));

      ContainerView view = running.container("main");
      assertEquals("GPU-1", view.envs().get("NVIDIA_VISIBLE_DEVICES"));
      assertEquals("b", view.annotations().get("a"));
      assertEquals(answer.getMountsList(), view.mounts());
      assertEquals(answer.getDevicesList(), view.devices());
      assertEquals(List.of("nvidia.com/gpu=GPU-1"), view.cdiDevices());
    }
  }

  @Test
  void admitsOneBatchByCreationAndBatchesByArrival() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(6);
      rig.kubelet.add(List.of(created("late", 30), created("early", 10), created("middle", 20)));
      rig.kubelet.add(created("oldest", 1));
      rig.kubelet.awaitIdle(Rig.LIMIT);

      List<String> order =
          rig.events.stream()
              .filter(PodRunning.class::isInstance)
              .map(event -> ((PodRunning) event).pod().name())
              .toList();

      assertEquals(List.of("early", "middle", "late", "oldest"), order);
    }
  }

  @Test
  void offersEveryFreeDeviceAndAsksForTheWholeSize() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(6);
      rig.running(podOf("a", 2));

      rig.running(podOf("b", 3));

      PreferredAllocationRequest request = preferredRequests(rig).getLast();
      assertEquals(1, request.getContainerRequestsCount());
      assertEquals(3, request.getContainerRequests(0).getAllocationSize());
      assertEquals(
          Set.of("d02", "d03", "d04", "d05"),
          Set.copyOf(request.getContainerRequests(0).getAvailableDeviceIDsList()));
      assertEquals(List.of(), request.getContainerRequests(0).getMustIncludeDeviceIDsList());
    }
  }

  @Test
  void offersDevicesInAnOrderThatTheSeedDecides() throws Exception {
    List<String> first = offered(1, "one");
    List<String> again = offered(1, "two");
    List<String> other = offered(2, "three");

    assertEquals(first, again);
    assertNotEquals(first, other);
    assertNotEquals(List.copyOf(new TreeSet<>(first)), first);
  }

  @Test
  void asksEvenIfEveryFreeDeviceIsNeeded() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(3);

      rig.running(podOf("a", 3));

      assertEquals(1, preferredRequests(rig).size());
    }
  }

  @Test
  void followsThePreference() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(6).preferred = _ -> List.of("d05", "d03");

      rig.running(podOf("a", 2));

      assertEquals(Set.of("d03", "d05"), rig.held("uid-a", "main"));
    }
  }

  @Test
  void topsUpAShortPreferenceAtRandom() throws Exception {
    try (Rig rig = Rig.lenient(root)) {
      rig.plugin(6).preferred = _ -> List.of("d05");

      rig.running(podOf("a", 3));

      assertEquals(3, rig.held("uid-a", "main").size());
      assertTrue(rig.held("uid-a", "main").contains("d05"));
      assertEquals(1, rig.kubelet.violations().size());
    }
  }

  @Test
  void cutsALongPreference() throws Exception {
    try (Rig rig = Rig.lenient(root)) {
      Set<String> wanted = Set.of("d01", "d02", "d03", "d04");
      rig.plugin(6).preferred = _ -> List.copyOf(wanted);

      rig.running(podOf("a", 2));

      assertEquals(2, rig.held("uid-a", "main").size());
      assertTrue(wanted.containsAll(rig.held("uid-a", "main")));
    }
  }

  @Test
  void ignoresPreferredDevicesThatAreNotAvailable() throws Exception {
    try (Rig rig = Rig.lenient(root)) {
      TinyPlugin plugin = rig.plugin(4);
      rig.running(podOf("a", 2));
      plugin.preferred = _ -> List.of("d00", "nonsense");

      rig.running(podOf("b", 2));

      assertEquals(Set.of("d02", "d03"), rig.held("uid-b", "main"));
    }
  }

  @Test
  void doesNotAskForAPreferenceThatIsNotOffered() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.unregistered(4);
      plugin.options = DevicePluginOptions.getDefaultInstance();
      plugin.register();
      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 4, Rig.LIMIT));

      rig.running(podOf("a", 2));

      assertEquals(List.of(), preferredRequests(rig));
      assertEquals(2, rig.held("uid-a", "main").size());
    }
  }

  @Test
  void failsThePodWhenAllocateIsRefusedAndFreesItsPicks() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(4);
      plugin.allocate =
          _ -> {
            throw TinyPlugin.refusal("the devices are on two GPUs");
          };

      PodFailed failed = rig.failed(podOf("a", 4));

      assertEquals("UnexpectedAdmissionError", failed.reason());
      assertEquals(
          "Pod was rejected: Allocate failed due to rpc error: code = FailedPrecondition desc ="
              + " the devices are on two GPUs, which is unexpected",
          failed.message());
      assertEquals(Set.of(), rig.kubelet.booked(RESOURCE));
      assertEquals(Set.of(), rig.held("uid-a", "main"));
    }
  }

  @Test
  void failsThePodWhenThePreferenceIsRefused() throws Exception {
    try (Rig rig = Rig.lenient(root)) {
      rig.plugin(4).preferred =
          _ -> {
            throw TinyPlugin.refusal("no");
          };

      assertEquals(
          "Pod was rejected: Allocate failed due to device plugin GetPreferredAllocation rpc"
              + " failed with err: rpc error: code = FailedPrecondition desc = no, which is"
              + " unexpected",
          rig.failed(podOf("a", 1)).message());
      assertEquals(List.of(), rig.kubelet.calls(KubeletCall.Method.ALLOCATE));
    }
  }

  @Test
  void leaksThePicksOfAnAllocateWithoutResponseUntilTheNextRebuild() throws Exception {
    try (Rig rig = Rig.lenient(root)) {
      TinyPlugin plugin = rig.plugin(4);
      var answer = plugin.allocate;
      plugin.allocate = _ -> List.of();
      rig.failed(podOf("a", 3));
      assertEquals(3, rig.kubelet.booked(RESOURCE).size());
      plugin.allocate = answer;

      assertEquals(
          "Pod was rejected: Allocate failed due to requested number of devices unavailable for"
              + " example.com/gpu-mem. Requested: 2, Available: 1, which is unexpected",
          rig.failed(podOf("b", 2)).message());

      rig.running(podOf("c", 1));
      rig.kubelet.finish("uid-c");
      rig.running(podOf("d", 4));
    }
  }

  @Test
  void failsAPodThatAsksForMoreThanIsFree() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("a", 3));

      assertEquals(
          "Pod was rejected: Allocate failed due to requested number of devices unavailable for"
              + " example.com/gpu-mem. Requested: 2, Available: 1, which is unexpected",
          rig.failed(podOf("b", 2)).message());
    }
  }

  @Test
  void picksOnlyHealthyDevices() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(3);
      plugin.publish(List.of(device(0, "Unhealthy"), device(1, "Healthy"), device(2, "Unhealthy")));
      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 1, Rig.LIMIT));

      rig.running(podOf("a", 1));

      assertEquals(Set.of("d01"), rig.held("uid-a", "main"));
    }
  }

  @Test
  void startsAPodWithoutDevicesWhereTheResourceWasNeverRegistered() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      PodRunning running = rig.running(podOf("a", 2));

      assertTrue(running.container("main").envs().isEmpty());
      assertFalse(rig.kubelet.table().containsKey("uid-a"));
    }
  }

  @Test
  void callsNobodyForZeroButFailsItWithoutAHealthyDevice() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(2);
      rig.running(podOf("a", 0));
      assertEquals(List.of(), rig.kubelet.calls(KubeletCall.Method.ALLOCATE));
      plugin.close();
      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 0, Rig.LIMIT));

      assertTrue(rig.failed(podOf("b", 0)).message().contains("no healthy devices present"));
    }
  }

  @Test
  void allocatesForEachContainerInOrderWithOneCallEach() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(6);

      rig.running(
          Rig.pod(
              "a",
              KubeletContainer.app("one", RESOURCE, 1),
              KubeletContainer.plain("none"),
              KubeletContainer.app("two", RESOURCE, 2)));

      List<Integer> sizes =
          rig.kubelet.calls(KubeletCall.Method.ALLOCATE).stream()
              .map(call -> (AllocateRequest) call.request())
              .map(request -> request.getContainerRequests(0).getDevicesIdsCount())
              .toList();
      assertEquals(List.of(1, 2), sizes);
      Set<String> both = new HashSet<>(rig.held("uid-a", "one"));
      both.addAll(rig.held("uid-a", "two"));
      assertEquals(3, both.size());
    }
  }

  @Test
  void keepsTheFirstContainersDevicesOfAFailedPodUntilTheNextAllocation() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.failed(
          Rig.pod(
              "a",
              KubeletContainer.app("one", RESOURCE, 3),
              KubeletContainer.app("two", RESOURCE, 2)));
      assertEquals(3, rig.held("uid-a", "one").size());

      rig.running(podOf("b", 4));

      assertEquals(Set.of(), rig.held("uid-a", "one"));
    }
  }

  @Test
  void admitsNobodyWhileAnAllocateHangs() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      try (AllocateHold hold = rig.kubelet.faults().holdAllocate(AllocateHold.Point.BEFORE_CALL)) {
        rig.kubelet.add(podOf("a", 1));
        rig.kubelet.add(podOf("b", 1));
        assertTrue(hold.awaitHeld(Rig.LIMIT));

        assertThrows(TimeoutException.class, () -> rig.kubelet.awaitIdle(Duration.ofMillis(20)));
        assertEquals(1, rig.kubelet.booked(RESOURCE).size());
      }
      rig.kubelet.awaitIdle(Rig.LIMIT);
      assertEquals(2, rig.kubelet.table().size());
    }
  }

  @Test
  void recordsHowLongEachCallTook() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("a", 1));

      KubeletCall call = rig.kubelet.calls(KubeletCall.Method.ALLOCATE).getFirst();

      assertFalse(call.took().isNegative());
      assertEquals(RESOURCE, call.subject());
      assertTrue(call.answer() instanceof PluginAnswer.Given);
    }
  }

  @Test
  void refusesAUidThatIsKnown() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.running(podOf("a", 1));

      assertThrows(IllegalArgumentException.class, () -> rig.kubelet.add(podOf("a", 1)));
    }
  }

  private List<String> offered(long seed, String folder) throws Exception {
    try (Rig rig = new Rig(KubeletSettings.at(root.resolve(folder)).withSeed(seed))) {
      rig.plugin(20);
      rig.running(podOf("a", 1));
      return preferredRequests(rig).getFirst().getContainerRequests(0).getAvailableDeviceIDsList();
    }
  }

  private static List<PreferredAllocationRequest> preferredRequests(Rig rig) {
    return rig.kubelet.calls(KubeletCall.Method.GET_PREFERRED_ALLOCATION).stream()
        .map(call -> (PreferredAllocationRequest) call.request())
        .toList();
  }

  private static KubeletPod created(String name, int second) {
    return Rig.pod(
        "uid-" + name,
        name,
        Instant.EPOCH.plusSeconds(second),
        KubeletContainer.app("main", RESOURCE, 1));
  }
}
