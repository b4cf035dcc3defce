package io.gpumem.plugin;

import static io.gpumem.plugin.PluginOnSockets.LIMIT;
import static io.gpumem.plugin.PluginOnSockets.RESOURCE;
import static io.gpumem.plugin.PluginOnSockets.eventually;
import static io.gpumem.plugin.PluginOnSockets.eventuallyEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.plugin.kubelet.PodResources;
import io.gpumem.plugin.kubelet.UnixSockets;
import io.gpumem.plugin.kubelet.fake.AllocateHold;
import io.gpumem.plugin.kubelet.fake.KubeletEvent;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import io.gpumem.plugin.kubelet.fake.Restart;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kubelet itself sells an ID twice, or forgets what it sold: Allocate is the second guard. */
final class SecondGuardTest {

  @TempDir Path root;

  @Test
  void refusesUnitsThatTheKubeletSellsTwiceAfterAForeignList() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod gone = running(all, "gone", 6);
      KubeletPod first = all.bound("first", 10);
      try (AllocateHold hold = all.kubelet.faults().holdAllocate(AllocateHold.Point.AFTER_ANSWER)) {
        all.kubelet.add(first);
        assertTrue(hold.awaitHeld(LIMIT));
        all.kubelet.finish(gone.uid());
        all.api.phase(gone, "Succeeded");
        foreignList(all);
      }
      all.kubelet.awaitIdle(LIMIT);
      SortedSet<String> firsts = ids(all, first);
      assertEquals(10, firsts.size());
      assertEquals(Set.of(), all.kubelet.booked(RESOURCE), "the kubelet has lost its bookings");

      KubeletPod second = all.api.create("second", ApiSide.main(10));
      all.api.bindPlain(second);
      KubeletEvent outcome = all.admit(second);

      KubeletEvent.PodFailed failed = assertInstanceOf(KubeletEvent.PodFailed.class, outcome);
      assertTrue(failed.message().contains("team-a/first still holds"), failed::message);
      assertEquals(firsts, ids(all, first));

      KubeletPod fits = all.bound("fits", 6);
      all.run(fits);
      assertEquals(6, ids(all, fits).size());
      assertTrue(Collections.disjoint(firsts, ids(all, fits)), "steered around what is sold");
    }
  }

  @Test
  void steersAroundUnitsOfRunningPodsThatTheKubeletForgot() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod old = running(all, "old", 6);
      SortedSet<String> lost = ids(all, old);

      forgetAll(all);
      KubeletPod fits = all.bound("fits", 8);
      all.run(fits);

      assertEquals(8, ids(all, fits).size());
      assertTrue(Collections.disjoint(lost, ids(all, fits)), () -> lost + " and " + ids(all, fits));
      assertEquals(6L, used(all, old), "still in the books");
    }
  }

  @Test
  void givesANewPodOfTheSameSizeOtherUnitsThanTheForgottenOnes() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod old = running(all, "old", 6);
      SortedSet<String> lost = ids(all, old);

      forgetAll(all);
      KubeletPod alike = all.bound("alike", 6);
      all.run(alike);

      assertEquals(6, ids(all, alike).size());
      assertTrue(Collections.disjoint(lost, ids(all, alike)), () -> "both hold of " + lost);
    }
  }

  @Test
  void refusesASetThatTouchesForgottenUnitsOfARunningPod() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod old = running(all, "old", 6);
      forgetAll(all);

      KubeletPod large = all.api.create("large", ApiSide.main(12));
      all.api.bindPlain(large);
      KubeletEvent.PodFailed failed =
          assertInstanceOf(KubeletEvent.PodFailed.class, all.admit(large));

      assertTrue(failed.message().contains("team-a/" + old.name()), failed::message);
    }
  }

  /** With room for nothing else the units can only be meant for the pod that had them. */
  @Test
  void givesAPodBackWhatTheKubeletForgotOfIt() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod old = running(all, "old", 9);
      SortedSet<String> lost = ids(all, old);
      forgetAll(all);

      KubeletEvent started = all.kubelet.startContainers(old.uid()).orElseThrow();
      assertInstanceOf(KubeletEvent.PodRunning.class, started);

      assertEquals(lost, ids(all, old));
    }
  }

  /**
   * A container that is started anew is as well off on other units, and a stranger is not robbed.
   */
  @Test
  void givesARestartedContainerOtherUnitsWhileThereAreSome() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod old = running(all, "old", 6);
      SortedSet<String> lost = ids(all, old);
      forgetAll(all);

      KubeletEvent started = all.kubelet.startContainers(old.uid()).orElseThrow();
      assertInstanceOf(KubeletEvent.PodRunning.class, started);

      assertTrue(Collections.disjoint(lost, ids(all, old)), () -> lost + " and " + ids(all, old));
      assertEquals(6L, used(all, old), "counted once");
    }
  }

  @Test
  void givesUnitsOfAHolderThatHasJustEnded() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      for (int time = 0; time < 5; time++) {
        KubeletPod ended = running(all, "ended" + time, 16);
        KubeletPod next = all.api.create("next" + time, ApiSide.main(16));
        all.api.bindPlain(next);
        // The kubelet frees the devices before the API server tells anybody.
        all.kubelet.finish(ended.uid());
        all.run(next);
        all.api.phase(ended, "Succeeded");
        all.delete(next);
        all.api.remove(ended);
      }
    }
  }

  private static KubeletPod running(PluginOnSockets all, String name, int units) throws Exception {
    KubeletPod pod = all.bound(name, units);
    all.run(pod);
    assertEquals(units, ids(all, pod).size());
    eventuallyEquals(
        Map.of(all.card(pod), (long) units),
        () -> all.api.truth().getOrDefault(name, Map.of()).getOrDefault("main", Map.of()));
    return pod;
  }

  /** The kubelet is restarted with a checkpoint that it can't read. */
  private static void forgetAll(PluginOnSockets all) throws Exception {
    int lists = all.kubelet.lists().size();
    all.kubelet.restart(Restart.plain().withCheckpoint(Restart.Checkpoint.CORRUPT));
    eventually("the plugin serves again", () -> all.kubelet.lists().size() > lists);
    assertTrue(all.kubelet.awaitAllocatable(RESOURCE, 16, LIMIT));
    all.kubelet.awaitIdle(LIMIT);
  }

  private static void foreignList(PluginOnSockets all) {
    try (UnixSockets sockets = new UnixSockets();
        PodResources other =
            new PodResources(
                sockets, all.kubelet.settings().podResourcesSocket(), RESOURCE, System::nanoTime)) {
      assertInstanceOf(PodResources.Listed.Table.class, other.list(LIMIT));
    }
  }

  private static SortedSet<String> ids(PluginOnSockets all, KubeletPod pod) {
    var containers = all.kubelet.table().getOrDefault(pod.uid(), new TreeMap<>());
    return containers.getOrDefault("main", new TreeSet<>());
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
