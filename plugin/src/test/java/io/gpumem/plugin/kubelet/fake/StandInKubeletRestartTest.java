package io.gpumem.plugin.kubelet.fake;

import static io.gpumem.plugin.kubelet.fake.Rig.RESOURCE;
import static io.gpumem.plugin.kubelet.fake.Rig.device;
import static io.gpumem.plugin.kubelet.fake.Rig.podOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.plugin.kubelet.fake.KubeletEvent.PodFailed;
import io.gpumem.plugin.kubelet.fake.KubeletEvent.PodRunning;
import io.gpumem.plugin.kubelet.fake.Restart.Checkpoint;
import io.gpumem.proto.podresources.v1.ListPodResourcesRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a restart of the kubelet does to plugins and pods. */
class StandInKubeletRestartTest {
  private static final String NONE_HEALTHY =
      "Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate"
          + " unhealthy devices example.com/gpu-mem, which is unexpected";

  @TempDir Path root;

  @Test
  void makesItsSocketAnewAndDeletesThePlugins() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(4);
      Object before = inode(rig.kubelet.settings().registrationSocket());

      rig.kubelet.restart(Restart.plain());

      assertNotEquals(before, inode(rig.kubelet.settings().registrationSocket()));
      assertFalse(Files.exists(plugin.socket()));
      Rig.eventually("the plugin's stream broke", () -> plugin.streams() == 0);
    }
  }

  @Test
  void countsNoDeviceUntilThePluginRegistersAgain() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);

      rig.kubelet.restart(Restart.plain());
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertEquals(0, rig.kubelet.capacity().get(RESOURCE));
      assertEquals(0, rig.kubelet.allocatable().get(RESOURCE));
      assertEquals(NONE_HEALTHY, rig.failed(podOf("b", 1)).message());
      rig.plugin(4);
      assertEquals(4, rig.kubelet.capacity().get(RESOURCE));
    }
  }

  @Test
  void keepsRunningPodsAndTheirDevices() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("a", 2));
      var before = rig.kubelet.table();

      rig.kubelet.restart(Restart.plain());
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertEquals(before, rig.kubelet.table());
      assertEquals(1, rig.outcomes("uid-a").size());
      rig.plugin(4);
      rig.running(podOf("b", 2));
      assertTrue(rig.failed(podOf("c", 1)).message().contains("Requested: 1, Available: 0"));
    }
  }

  @Test
  void replaysTheAnswerFromTheCheckpoint() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      PodRunning before = rig.running(podOf("a", 2));

      rig.kubelet.restart(Restart.plain());
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertEquals(before, rig.kubelet.startContainers("uid-a").orElseThrow());
    }
  }

  @Test
  void failsARunningPodWhoseGpuInitContainerIsDone() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(withInit("a"));

      rig.kubelet.restart(Restart.plain());
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertEquals(NONE_HEALTHY, assertInstanceOf(PodFailed.class, rig.outcome("uid-a")).message());
    }
  }

  @Test
  void keepsThatPodIfThePluginIsQuicker() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(withInit("a"));
      var before = rig.kubelet.table();

      rig.kubelet.restart(Restart.plain().readmittingAfterRegistration());
      rig.plugin(4);
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertInstanceOf(PodRunning.class, rig.outcome("uid-a"));
      assertEquals(before, rig.kubelet.table());
    }
  }

  @Test
  void failsEveryGpuPodWhenTheRuntimeDoesNotAnswer() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("a", 2));
      rig.running(Rig.pod("plain", KubeletContainer.plain("main")));

      rig.kubelet.restart(Restart.plain().withRuntimeUnseen());
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertInstanceOf(PodFailed.class, rig.outcome("uid-a"));
      assertInstanceOf(PodRunning.class, rig.outcome("uid-plain"));
    }
  }

  @Test
  void failsAPodThatWasAdmittedButNotStarted() throws Exception {
    try (Rig rig = new Rig(KubeletSettings.at(root).withContainersHeld())) {
      rig.plugin(4);
      rig.kubelet.add(podOf("a", 2));
      rig.kubelet.awaitIdle(Rig.LIMIT);

      rig.kubelet.restart(Restart.plain());
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertInstanceOf(PodFailed.class, rig.outcome("uid-a"));
    }
  }

  @Test
  void failsGpuPodsAfterARebootBeforeThePluginIsBack() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("a", 2));

      rig.kubelet.restart(Restart.reboot());
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertEquals(NONE_HEALTHY, assertInstanceOf(PodFailed.class, rig.outcome("uid-a")).message());
    }
  }

  @Test
  void startsPodsAgainAfterARebootWithTheirOldDevices() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      PodRunning before = rig.running(podOf("a", 2));

      rig.kubelet.restart(Restart.reboot().readmittingAfterRegistration());
      rig.plugin(4);
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertEquals(List.of(before, before), rig.outcomes("uid-a"));
    }
  }

  @Test
  void failsAPodWhoseRecordedDevicesAreIllAfterAReboot() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("a", 1));
      assertEquals(Set.of("d00"), rig.held("uid-a", "main"));

      rig.kubelet.restart(Restart.reboot().readmittingAfterRegistration());
      TinyPlugin fresh = rig.unregistered(0);
      fresh.publish(List.of(device(0, "Unhealthy"), device(1, "Healthy")));
      fresh.register();
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertTrue(
          assertInstanceOf(PodFailed.class, rig.outcome("uid-a"))
              .message()
              .contains("previously allocated devices are no longer healthy"));
    }
  }

  @Test
  void forgetsWhoHoldsWhatWithoutACheckpointAndZeroesTheNode() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("a", 2));

      rig.kubelet.restart(Restart.plain().withCheckpoint(Checkpoint.MISSING));
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertEquals(1, rig.outcomes("uid-a").size());
      assertTrue(rig.kubelet.table().isEmpty());
      assertEquals(0, rig.kubelet.capacity().get(RESOURCE));
    }
  }

  @Test
  void leavesTheNodesCapacityAloneWhenAnyFileLiesBesideTheLostCheckpoint() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      Files.writeString(rig.kubelet.settings().devicePlugins().resolve("state"), "of a plugin");

      rig.kubelet.restart(Restart.plain().withCheckpoint(Checkpoint.MISSING));
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertEquals(4, rig.kubelet.capacity().get(RESOURCE));
    }
  }

  @Test
  void sellsARunningPodsDevicesAgainAfterACorruptCheckpoint() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      PodRunning running = rig.running(podOf("a", 2));
      rig.kubelet.restart(Restart.plain().withCheckpoint(Checkpoint.CORRUPT));
      rig.kubelet.awaitIdle(Rig.LIMIT);
      rig.plugin(4);

      PodRunning second = rig.running(podOf("b", 2));

      assertEquals(running.container("main").envs(), second.container("main").envs());
      assertEquals(Set.of("uid-b"), rig.kubelet.table().keySet());
    }
  }

  @Test
  void allocatesAnewWhenAPodWithALostRecordRestarts() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("a", 2));
      rig.kubelet.restart(Restart.plain().withCheckpoint(Checkpoint.MISSING));
      rig.kubelet.awaitIdle(Rig.LIMIT);
      rig.plugin(4);
      rig.running(podOf("b", 2));

      assertInstanceOf(PodRunning.class, rig.kubelet.startContainers("uid-a").orElseThrow());

      assertEquals(Set.of("d02", "d03"), rig.held("uid-a", "main"));
    }
  }

  @Test
  void admitsAPodAgainThatWasInFlight() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      AllocateHold hold = rig.kubelet.faults().holdAllocate(AllocateHold.Point.BEFORE_CALL);
      rig.kubelet.add(podOf("a", 2));
      assertTrue(hold.awaitHeld(Rig.LIMIT));

      rig.kubelet.restart(Restart.plain().readmittingAfterRegistration());
      hold.close();
      assertEquals(List.of(), rig.outcomes("uid-a"));
      rig.plugin(4);
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertInstanceOf(PodRunning.class, rig.outcome("uid-a"));
    }
  }

  @Test
  void dropsNothingOfInactivePodsBeforeItHasSeenAllPods() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("gone", 2));
      rig.kubelet.restart(Restart.plain().readmittingAfterRegistration());
      rig.kubelet.forceDelete("uid-gone");

      var _ = rig.podResources().list(ListPodResourcesRequest.getDefaultInstance());
      assertTrue(rig.kubelet.table().containsKey("uid-gone"));

      rig.plugin(4);
      rig.kubelet.awaitIdle(Rig.LIMIT);
      var _ = rig.podResources().list(ListPodResourcesRequest.getDefaultInstance());
      assertFalse(rig.kubelet.table().containsKey("uid-gone"));
    }
  }

  @Test
  void showsAPodInListOnlyOnceItIsReadmitted() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("a", 2));
      rig.kubelet.restart(Restart.plain().readmittingAfterRegistration());
      assertEquals(
          0,
          rig.podResources()
              .list(ListPodResourcesRequest.getDefaultInstance())
              .getPodResourcesCount());

      rig.plugin(4);
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertEquals(
          1,
          rig.podResources()
              .list(ListPodResourcesRequest.getDefaultInstance())
              .getPodResourcesCount());
    }
  }

  private static KubeletPod withInit(String name) {
    return Rig.pod(
        name,
        KubeletContainer.init("init", RESOURCE, 2),
        KubeletContainer.app("main", RESOURCE, 1));
  }

  /** The inode and its time of change: a file system may give an inode's number out again. */
  private static List<Object> inode(Path file) throws IOException {
    return List.of(Files.getAttribute(file, "unix:ino"), Files.getAttribute(file, "unix:ctime"));
  }
}
