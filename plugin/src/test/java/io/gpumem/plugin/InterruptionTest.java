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
import io.gpumem.plugin.kubelet.fake.KubeletSettings;
import io.gpumem.plugin.kubelet.fake.Restart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The plugin, the kubelet or the machine goes away in the middle; what is true of the pods then.
 */
final class InterruptionTest {

  @TempDir Path root;

  @Test
  void letsRunningPodsRestartTheirContainersWhileItIsAway() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod pod = all.bound("a", 10);
      KubeletEvent.PodRunning before = all.run(pod);

      all.stop();

      assertTrue(all.kubelet.awaitAllocatable(RESOURCE, 0, LIMIT));
      assertEquals(16L, all.kubelet.capacity().get(RESOURCE));
      assertEquals(before, all.kubelet.startContainers(pod.uid()).orElseThrow());
    }
  }

  @Test
  void letsThemRestartAgainOnceItIsBackAfterMoreThanTheKubeletsGrace() throws Exception {
    KubeletSettings impatient =
        KubeletSettings.at(root.resolve("k")).withStopGrace(Duration.ofMillis(300));
    try (PluginOnSockets all = new PluginOnSockets(root, CardFile.of(root, 16384), impatient)) {
      all.start();
      all.awaitServing();
      KubeletPod pod = all.bound("a", 10);
      KubeletEvent.PodRunning before = all.run(pod);
      all.stop();
      eventually(
          "the kubelet has forgotten the resource",
          () ->
              all.kubelet.startContainers(pod.uid()).orElseThrow()
                  instanceof KubeletEvent.ContainerWaiting);

      all.start();
      all.awaitServing();

      assertEquals(before, all.kubelet.startContainers(pod.uid()).orElseThrow());
      assertTrue(all.kubelet.awaitAllocatable(RESOURCE, 16, LIMIT));
    }
  }

  @Test
  void followsTheKubeletWhenItsRestartFailsAPodWithAFinishedInitContainer() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod pod = withInit(all);
      all.run(pod);
      eventuallyEquals(Map.of(CardFile.uuid(0), 10L), all.api::used);

      all.kubelet.restart(Restart.plain());
      all.kubelet.awaitIdle(LIMIT);

      assertInstanceOf(KubeletEvent.PodFailed.class, all.outcome(pod));
      eventuallyEquals(Map.of(), all.api::used);
      all.awaitServing();
      all.run(all.bound("next", 16));
    }
  }

  @Test
  void keepsAPodWithAFinishedInitContainerWhenItIsBackBeforeTheKubeletLooks() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod pod = withInit(all);
      all.run(pod);
      eventuallyEquals(Map.of(CardFile.uuid(0), 10L), all.api::used);
      var table = all.kubelet.table();

      all.kubelet.restart(Restart.plain().readmittingAfterRegistration());
      all.kubelet.awaitIdle(LIMIT);

      assertInstanceOf(KubeletEvent.PodRunning.class, all.outcome(pod));
      assertEquals(table, all.kubelet.table());
      assertEquals(Map.of(CardFile.uuid(0), 10L), all.api.used());
    }
  }

  private static KubeletPod withInit(PluginOnSockets all) {
    return all.bound("a", KubeletContainer.init("setup", RESOURCE, 10), ApiSide.main(4));
  }

  @Test
  void knowsWhatAPodOfInitContainersAloneHoldsAfterItsOwnRestart() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod pod =
          all.bound(
              "a", KubeletContainer.init("setup", RESOURCE, 10), KubeletContainer.plain("main"));
      all.run(pod);
      DeviceUuid card = all.held(pod, "setup").keySet().iterator().next();
      eventually(
          "the init holding is published",
          () ->
              all.api.published().orElseThrow().allocations().pods().values().stream()
                  .anyMatch(each -> each.init().equals(Map.of(card, 10L))));

      all.stop();
      all.start();
      all.awaitServing();

      assertEquals(Map.of(card, 10L), all.api.used());
      KubeletPod next = all.bound("next", 16);
      all.run(next);
      assertEquals(Map.of(card, 10L, all.card(next), 16L), new TreeMap<>(all.api.used()));
    }
  }

  @Test
  void freesTheUnitsOfPodsThatAMachinesRebootFailed() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod first = all.bound("first", 10);
      KubeletPod second = all.bound("second", 6);
      all.run(first);
      all.run(second);
      eventuallyEquals(Map.of(CardFile.uuid(0), 16L), all.api::used);
      all.stop();

      all.kubelet.restart(Restart.reboot());
      all.kubelet.awaitIdle(LIMIT);
      assertInstanceOf(KubeletEvent.PodFailed.class, all.outcome(first));
      assertInstanceOf(KubeletEvent.PodFailed.class, all.outcome(second));
      all.start();
      all.awaitServing();

      eventuallyEquals(Map.of(), all.api::used);
      all.run(all.bound("replacement", 16));
    }
  }

  @Test
  void tellsOfAPodThatTheKubeletStartedWithoutADeviceAndCountsNothingForIt() throws Exception {
    try (PluginOnSockets all = new PluginOnSockets(root, CardFile.of(root, 16384))) {
      KubeletPod early = all.api.create("early", ApiSide.main(10));
      all.api.bindPlain(early);
      KubeletEvent.PodRunning started = all.run(early);
      assertEquals(Map.of(), started.container("main").envs(), "no error, and no GPU");

      all.start();
      all.awaitServing();

      eventually(
          "an event on the pod",
          LIMIT.multipliedBy(2),
          () -> all.api.events().toString().contains("StartedWithoutGpu"));
      eventuallyEquals(Map.of(), all.api::used);
      all.run(all.bound("next", 16));
    }
  }

  @Test
  void givesThePlaceOfAPodThatWasDeletedBeforeItsAdmissionToTheNext() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod gone = all.bound("gone", 10);
      eventuallyEquals(Map.of(CardFile.uuid(0), 10L), all.api::used);
      all.api.remove(gone);

      all.run(all.bound("next", 16));

      eventuallyEquals(Map.of(CardFile.uuid(0), 16L), all.api::used);
    }
  }

  @Test
  void followsTheKubeletsTableWhenAPodIsDeletedByForce() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod forced = all.bound("forced", 10);
      all.run(forced);
      DeviceUuid card = all.card(forced);
      eventuallyEquals(Map.of(card, 10L), all.api::used);

      all.kubelet.forceDelete(forced.uid());
      all.api.remove(forced);
      eventuallyEquals(Map.of(), all.api::used);

      all.run(all.bound("first", 16));
      all.run(all.bound("second", 16));
    }
  }

  @Test
  void sellsNothingTwiceWhenTwoExtendersPlanForOnePlace() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod[] pods = new KubeletPod[4];
      for (int i = 0; i < pods.length; i++) {
        pods[i] = all.api.create("p" + i, ApiSide.main(10));
        all.api.bindTo(pods[i], Map.of("main", Map.of(CardFile.uuid(0), 10L)));
      }
      Map<DeviceUuid, Long> given = new TreeMap<>();
      int failed = 0;
      for (KubeletPod pod : pods) {
        if (all.admit(pod) instanceof KubeletEvent.PodRunning) {
          given.merge(all.card(pod), 10L, Long::sum);
        } else {
          failed++;
        }
      }

      assertEquals(Map.of(CardFile.uuid(0), 10L, CardFile.uuid(1), 10L), given);
      assertEquals(2, failed, "their controllers replace them");
      eventuallyEquals(given, () -> new TreeMap<>(all.api.used()));
    }
  }

  @Test
  void endsWithItsOwnCodeWhenTheDriverIsChangedUnderIt() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      Path beside = all.cards.path().resolveSibling("machine.next");
      Files.writeString(
          beside, "{\"v\": 1, \"profile\": \"card-16gib\", \"driver\": \"mismatch\"}");
      Files.move(beside, all.cards.path(), StandardCopyOption.ATOMIC_MOVE);

      assertEquals(Plugin.DRIVER_CHANGED, all.exitCode());
    }
  }
}
