package io.gpumem.plugin;

import static io.gpumem.plugin.PluginOnSockets.LIMIT;
import static io.gpumem.plugin.PluginOnSockets.RESOURCE;
import static io.gpumem.plugin.PluginOnSockets.eventually;
import static io.gpumem.plugin.PluginOnSockets.eventuallyEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.plugin.kubelet.fake.KubeletContainer;
import io.gpumem.plugin.kubelet.fake.KubeletEvent;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import io.gpumem.plugin.kubelet.fake.Restart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugin was down when it mattered: what it must still know afterwards, and from where. */
final class RestartTest {

  private static final String EMPTY = "{\"v\":1,\"pods\":{}}";

  @TempDir Path root;

  @Test
  void knowsWhereAnInitContainersUnitsAreThatItNeverPublished() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod init = initOnly(all, "init", 6);
      Map<DeviceUuid, Long> held = all.held(init, "setup");
      all.stop();

      all.api.annotateNode(ApiSide.KEYS.allocations(), EMPTY);
      all.start();
      all.awaitServing();

      eventuallyEquals(held, () -> published(all, init));
    }
  }

  @Test
  void believesThePublishedPlaceWhereTheKubeletsFileTellsNothing() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod init = initOnly(all, "init", 6);
      Map<DeviceUuid, Long> held = all.held(init, "setup");
      eventuallyEquals(held, () -> published(all, init));
      all.stop();
      all.kubelet.restart(Restart.plain().withCheckpoint(Restart.Checkpoint.CORRUPT));

      all.start();
      all.awaitServing();

      eventuallyEquals(held, () -> published(all, init));
    }
  }

  @Test
  void readsWhatItPublishedOnceTheApiServerIsBack() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod old = running(all, "old", 6);
      all.stop();
      all.kubelet.restart(Restart.plain().withCheckpoint(Restart.Checkpoint.CORRUPT));
      all.api.server.unplugged(true);
      all.start();
      assertTrue(all.kubelet.awaitAllocatable(RESOURCE, 16, LIMIT.multipliedBy(2)));

      all.api.server.unplugged(false);

      eventually("the pods are known", LIMIT.multipliedBy(2), () -> refusesMoreThanIsLeft(all));
      assertEquals(6L, used(all, old));
    }
  }

  private static boolean refusesMoreThanIsLeft(PluginOnSockets all) throws Exception {
    return all.get("/metrics").body().contains("gpumem_device_used_units{device=\"GPU-")
        && all.metric("gpumem_device_used_units") == 6;
  }

  @Test
  void keepsTheUnitsOfRunningPodsThatTheKubeletForgotWhileItWasDown() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod old = running(all, "old", 6);
      all.stop();
      all.kubelet.restart(Restart.plain().withCheckpoint(Restart.Checkpoint.CORRUPT));
      all.start();
      all.awaitServing();
      assertTrue(all.kubelet.awaitAllocatable(RESOURCE, 16, LIMIT));

      KubeletPod large = all.api.create("large", ApiSide.main(12));
      all.api.bindPlain(large);
      var failed = assertInstanceOf(KubeletEvent.PodFailed.class, all.admit(large));
      assertTrue(failed.message().contains("still hold 6 units"), failed::message);
      KubeletPod fits = all.bound("fits", 10);
      all.run(fits);

      // Longer than it takes to say of a pod that it was started without a device.
      long later = System.nanoTime() + Duration.ofSeconds(7).toNanos();
      eventually("some time passes", () -> System.nanoTime() > later);
      assertEquals(6L, used(all, old));
      assertEquals(10L, used(all, fits));
    }
  }

  @Test
  void givesAForgottenPodItsUnitsAgain() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod old = running(all, "old", 6);
      Map<DeviceUuid, Long> held = all.held(old, "main");
      all.stop();
      all.kubelet.restart(Restart.plain().withCheckpoint(Restart.Checkpoint.CORRUPT));
      all.start();
      all.awaitServing();

      assertInstanceOf(
          KubeletEvent.PodRunning.class, all.kubelet.startContainers(old.uid()).orElseThrow());

      assertEquals(held, all.held(old, "main"));
      all.run(all.bound("rest", 10));
      assertEquals(6L, used(all, old));
    }
  }

  private static KubeletPod initOnly(PluginOnSockets all, String name, int units) throws Exception {
    KubeletPod pod =
        all.api.create(
            name, KubeletContainer.init("setup", RESOURCE, units), KubeletContainer.plain("main"));
    all.api.bindPlain(pod);
    all.run(pod);
    return pod;
  }

  private static KubeletPod running(PluginOnSockets all, String name, int units) throws Exception {
    KubeletPod pod = all.bound(name, units);
    all.run(pod);
    eventuallyEquals(
        all.held(pod, "main"),
        () -> all.api.truth().getOrDefault(name, Map.of()).getOrDefault("main", Map.of()));
    return pod;
  }

  /** What the plugin has published as the pod's, the surplus of init containers included. */
  private static Map<DeviceUuid, Long> published(PluginOnSockets all, KubeletPod pod) {
    Map<DeviceUuid, Long> sum = new TreeMap<>();
    all.api
        .published()
        .ifPresent(
            node ->
                node.allocations().pods().values().stream()
                    .filter(each -> each.name().name().equals(pod.name()))
                    .forEach(each -> sum.putAll(each.init())));
    return sum;
  }

  private static long used(PluginOnSockets all, KubeletPod pod) {
    return all.api
        .books()
        .ledger()
        .holding("uid:" + pod.uid())
        .map(holding -> holding.devices().values().stream().mapToLong(Long::longValue).sum())
        .orElse(0L);
  }
}
