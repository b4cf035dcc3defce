package io.gpumem.plugin.kubelet.fake;

import static io.gpumem.plugin.kubelet.fake.Rig.RESOURCE;
import static io.gpumem.plugin.kubelet.fake.Rig.device;
import static io.gpumem.plugin.kubelet.fake.Rig.devices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.plugin.kubelet.fake.KubeletEvent.CapacityChanged;
import io.gpumem.proto.deviceplugin.v1beta1.Device;
import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StandInKubeletStreamTest {
  @TempDir Path root;

  @Test
  void replacesTheWholeListWithEachMessage() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(3);

      plugin.publish(List.of(device(7, "Healthy")));

      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 1, Rig.LIMIT));
      assertEquals(1, rig.kubelet.capacity().get(RESOURCE));
      assertEquals("d07", rig.running(Rig.podOf("a", 1)).container("main").envs().get("IDS"));
    }
  }

  @Test
  void recordsEachListWithItsSize() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(3);
      plugin.publish(devices(5));
      Rig.eventually("both lists are recorded", () -> rig.kubelet.lists().size() == 2);

      List<ListMessage> lists = rig.kubelet.lists();

      assertEquals(List.of(3, 5), lists.stream().map(ListMessage::devices).toList());
      int bytes =
          ListAndWatchResponse.newBuilder().addAllDevices(devices(5)).build().getSerializedSize();
      assertEquals(bytes, lists.getLast().bytes());
    }
  }

  @Test
  void takesAnEmptyListForNoDevices() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(3);

      plugin.publish(List.of());

      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 0, Rig.LIMIT));
      assertEquals(0, rig.kubelet.capacity().get(RESOURCE));
    }
  }

  @Test
  void countsUnhealthyDevicesInCapacityOnly() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(3);

      plugin.publish(List.of(device(0, "Healthy"), device(1, "Unhealthy"), device(2, "Unhealthy")));

      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 1, Rig.LIMIT));
      assertEquals(3, rig.kubelet.capacity().get(RESOURCE));
    }
  }

  @Test
  void takesEveryOtherHealthForUnhealthy() throws Exception {
    try (Rig rig = Rig.lenient(root)) {
      TinyPlugin plugin = rig.plugin(3);

      plugin.publish(List.of(device(0, "healthy"), device(1, ""), device(2, "Healthy")));

      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 1, Rig.LIMIT));
      assertEquals(2, rig.kubelet.violations().size());
    }
  }

  @Test
  void losesAllAllocatableDevicesButNoCapacityWhenThePluginDies() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(3);

      plugin.close();

      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 0, Rig.LIMIT));
      assertEquals(3, rig.kubelet.capacity().get(RESOURCE));
      assertEquals(0, rig.kubelet.openStreams());
      assertEquals(
          "Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate"
              + " unhealthy devices example.com/gpu-mem, which is unexpected",
          rig.failed(Rig.podOf("a", 1)).message());
    }
  }

  @Test
  void neverDialsAgainButIsHealedByARegistration() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(3);

      rig.kubelet.cancelStreams(RESOURCE);

      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 0, Rig.LIMIT));
      Rig.eventually("the plugin sees its stream cancelled", () -> plugin.streams() == 0);
      assertTrue(Files.exists(plugin.socket()));
      assertTrue(Files.exists(rig.kubelet.settings().registrationSocket()));
      plugin.register();
      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 3, Rig.LIMIT));
    }
  }

  @Test
  void breaksTheStreamOfAListAboveFourMebibytes() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(3);
      List<Device> many =
          IntStream.range(0, 90_000)
              .mapToObj(
                  n ->
                      Device.newBuilder()
                          .setID("GPU-00000000-0000-0000-0000-000000000000::%05d".formatted(n))
                          .setHealth("Healthy")
                          .build())
              .toList();

      plugin.publish(many);

      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 0, Rig.LIMIT));
      assertEquals(3, rig.kubelet.capacity().get(RESOURCE));
      assertEquals(1, rig.kubelet.lists().size());
    }
  }

  @Test
  void disconnectsTheNewPluginWhenTheOldOnesStreamEndsUpTo136() throws Exception {
    try (Rig rig = new Rig(KubeletSettings.at(root).withRelease(Release.V1_36))) {
      TinyPlugin old = rig.plugin(3);
      TinyPlugin fresh = rig.plugin(4);

      old.close();

      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 0, Rig.LIMIT));
      Rig.eventually("the new stream is cut too", () -> fresh.streams() == 0);
      fresh.register();
      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 4, Rig.LIMIT));
    }
  }

  @Test
  void keepsTheNewPluginWhenTheOldOnesStreamEndsFrom137() throws Exception {
    try (Rig rig = new Rig(KubeletSettings.at(root).withRelease(Release.V1_37))) {
      TinyPlugin old = rig.plugin(3);
      TinyPlugin fresh = rig.plugin(4);

      old.close();

      Rig.eventually("the old stream is gone", () -> rig.kubelet.openStreams() == 1);
      assertEquals(4, rig.kubelet.allocatable().get(RESOURCE));
      assertEquals(1, fresh.streams());
      rig.running(Rig.podOf("a", 4));
    }
  }

  @Test
  void zeroesTheResourceWhenThePluginStaysAwayPastTheGracePeriod() throws Exception {
    KubeletSettings settings = KubeletSettings.at(root).withStopGrace(Duration.ofMillis(50));
    try (Rig rig = new Rig(settings)) {
      TinyPlugin plugin = rig.plugin(3);

      plugin.close();

      Rig.eventually(
          "capacity is zero and the key stays",
          () -> Long.valueOf(0).equals(rig.kubelet.capacity().get(RESOURCE)));
      // From now on the resource is a stranger: no device, no error.
      assertTrue(rig.running(Rig.podOf("a", 1)).container("main").envs().isEmpty());
    }
  }

  @Test
  void tellsTheListenerOfEachChangeOfCapacityOnce() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(3);
      plugin.publish(devices(3));
      plugin.publish(devices(4));
      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 4, Rig.LIMIT));
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertEquals(
          List.of(new CapacityChanged(RESOURCE, 3, 3), new CapacityChanged(RESOURCE, 4, 4)),
          rig.events);
    }
  }

  @Test
  void deletesThePluginsSocketWhenToldAndLeavesItsServerRunning() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(3);

      rig.kubelet.deletePluginSockets();

      assertFalse(Files.exists(plugin.socket()));
      assertTrue(Files.exists(rig.kubelet.settings().registrationSocket()));
      rig.running(Rig.podOf("a", 3));
    }
  }
}
