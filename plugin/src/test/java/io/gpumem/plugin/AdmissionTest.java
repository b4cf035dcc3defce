package io.gpumem.plugin;

import static io.gpumem.plugin.PluginOnSockets.LIMIT;
import static io.gpumem.plugin.PluginOnSockets.RESOURCE;
import static io.gpumem.plugin.PluginOnSockets.eventually;
import static io.gpumem.plugin.PluginOnSockets.eventuallyEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.plugin.kubelet.DirectCalls;
import io.gpumem.plugin.kubelet.fake.KubeletCall;
import io.gpumem.plugin.kubelet.fake.KubeletContainer;
import io.gpumem.plugin.kubelet.fake.KubeletEvent;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the kubelet may do to the two allocation calls while it admits pods. */
final class AdmissionTest {

  private static final int TEN_MEBIBYTES = 10 << 20;

  @TempDir Path root;

  @Test
  void answersAPreferredCallOfTenMebibytes() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384);
        DirectCalls calls = DirectCalls.to(all.kubelet.settings().devicePlugins())) {
      List<String> available = new ArrayList<>();
      DeviceUuid stranger = new DeviceUuid("GPU-ffffffff-0000-4000-8000-000000000000");
      for (long bytes = 0; bytes < TEN_MEBIBYTES; bytes += available.getLast().length()) {
        available.add(new DeviceId(stranger, available.size()).toString());
      }
      available.addAll(advertised(all));

      List<String> answer = calls.prefer(available, List.of(10)).getFirst();

      assertEquals(10, Set.copyOf(answer).size());
      assertEquals(Set.of(CardFile.uuid(0)), cards(answer));
    }
  }

  @Test
  void failsAPodThatNoOneCardCanHoldAndLeaksNothing() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 8192, 8192)) {
      KubeletPod large = all.api.create("large", ApiSide.main(12));
      all.api.bindPlain(large);

      KubeletEvent.PodFailed failed =
          assertInstanceOf(KubeletEvent.PodFailed.class, all.admit(large));

      assertEquals("UnexpectedAdmissionError", failed.reason());
      String text = failed.message();
      assertTrue(text.contains("Allocate failed due to"), text);
      assertTrue(text.contains("units of several devices for one container"), text);
      assertTrue(text.contains(CardFile.uuid(1).text()), text);
      assertEquals(Set.of(), all.kubelet.booked(RESOURCE));
      all.run(all.bound("first", 8));
      all.run(all.bound("second", 8));
    }
  }

  @Test
  void servesAContainerThatReusesWhatAnInitContainerHadWithoutBeingAsked() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod pod = all.bound("a", KubeletContainer.init("setup", RESOURCE, 6), ApiSide.main(4));

      all.run(pod);

      assertEquals(1, all.kubelet.calls(KubeletCall.Method.GET_PREFERRED_ALLOCATION).size());
      assertEquals(2, all.kubelet.calls(KubeletCall.Method.ALLOCATE).size());
      DeviceUuid card = all.card(pod);
      eventuallyEquals(Map.of("a", Map.of("main", Map.of(card, 4L))), all.api::truth);
      eventuallyEquals(Map.of(card, 6L), all.api::used);
      all.delete(pod);
      eventuallyEquals(Map.of(), all.api::used);
    }
  }

  @Test
  void asksForTheRestOnTheCardOfWhatIsReused() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod pod =
          all.bound(
              "a",
              KubeletContainer.init("setup", RESOURCE, 4),
              KubeletContainer.sidecar("side", RESOURCE, 2),
              ApiSide.main(9));

      all.run(pod);

      DeviceUuid card = all.card(pod);
      assertEquals(Map.of(card, 9L), all.held(pod, "main"));
      assertEquals(Map.of(card, 2L), all.held(pod, "side"));
      eventuallyEquals(Map.of(card, 11L), all.api::used);
      KubeletPod rest = all.bound("rest", 5);
      all.run(rest);
      all.run(all.bound("whole", 16));
    }
  }

  @Test
  void admitsPodsWhileNvmlHangsAndTheApiServerIsAway() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      List<KubeletPod> pods = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        pods.add(all.bound("p" + i, 5));
      }
      eventually("all are reserved", () -> all.api.used().values().stream().allMatch(u -> u == 15));
      all.cards.hang(true);
      all.api.server.unplugged(true);
      all.api.server.cutConnections();

      for (KubeletPod pod : pods) {
        all.run(pod);
      }

      all.api.server.unplugged(false);
      all.cards.hang(false);
      eventually("the truth is out", () -> all.api.truth().size() == 6);
      assertEquals(Map.of(CardFile.uuid(0), 15L, CardFile.uuid(1), 15L), all.api.used());
    }
  }

  /** Three containers of two pods, each with its own size, in every kind of order. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void keepsContainersApartWhoseCallsAreMixed(long seed) throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 4096, 4096);
        DirectCalls calls = DirectCalls.to(all.kubelet.settings().devicePlugins())) {
      Map<Integer, Integer> cardOf = plan(all);
      List<Integer> sizes = new ArrayList<>(List.of(1, 2, 3, 1, 2, 3));
      Collections.shuffle(sizes, new Random(seed));
      List<String> free = new ArrayList<>(advertised(all));
      Map<Integer, List<String>> picked = new TreeMap<>();
      for (int size : sizes) {
        if (picked.containsKey(size)) {
          var given = calls.allocate(List.of(picked.get(size))).getContainerResponses(0);
          assertEquals(
              CardFile.uuid(cardOf.get(size)).text(),
              given.getEnvsMap().get("NVIDIA_VISIBLE_DEVICES"),
              () -> "seed " + seed + ": " + sizes);
          assertEquals(
              Integer.toString(size * 1024), given.getEnvsMap().get("NVIDIA_GPU_MEMORY_LIMIT"));
        } else {
          picked.put(size, calls.prefer(free, List.of(size)).getFirst());
          free.removeAll(picked.get(size));
        }
      }
    }
  }

  /** Size to card: the pod of two containers is spread, so that no rule but the plan finds it. */
  private static Map<Integer, Integer> plan(PluginOnSockets all) {
    KubeletPod a =
        all.api.create(
            "a",
            KubeletContainer.app("one", RESOURCE, 1),
            KubeletContainer.app("two", RESOURCE, 2));
    KubeletPod b = all.api.create("b", ApiSide.main(3));
    Map<String, Map<DeviceUuid, Long>> both = new TreeMap<>();
    both.put("one", Map.of(CardFile.uuid(1), 1L));
    both.put("two", Map.of(CardFile.uuid(0), 2L));
    all.api.bindTo(a, both);
    all.api.bindTo(b, Map.of("main", Map.of(CardFile.uuid(1), 3L)));
    return Map.of(1, 1, 2, 0, 3, 1);
  }

  @Test
  void givesUnitsAgainWithoutHearingOfTheirReleaseAndCountsIt() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod first = all.bound("first", 16);
      all.run(first);
      eventually("the truth is out", () -> all.api.truth().containsKey("first"));
      KubeletPod second = all.api.create("second", ApiSide.main(16));
      all.api.bindPlain(second);

      // The kubelet frees the units at once; nobody tells the plugin.
      all.kubelet.finish(first.uid());
      all.run(second);

      assertEquals(16, all.kubelet.booked(RESOURCE).size());
      assertTrue(all.metric("gpumem_suspect_ids_accepted_total") > 0);
    }
  }

  @Test
  void readsTheWholeTableOnceAndThenPodByPod() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      assertEquals(1, all.kubelet.calls(KubeletCall.Method.LIST).size());
      for (int i = 0; i < 4; i++) {
        all.run(all.bound("p" + i, 4));
      }
      eventually("the truth is out", () -> all.api.truth().size() == 4);

      assertEquals(1, all.kubelet.calls(KubeletCall.Method.LIST).size(), "a List unbooks picks");
      assertTrue(all.kubelet.calls(KubeletCall.Method.GET).size() >= 4);
      assertTrue(all.kubelet.awaitAllocatable(RESOURCE, 16, LIMIT));
    }
  }

  private static List<String> advertised(PluginOnSockets all) {
    return all.kubelet.lists().getLast().message().getDevicesList().stream()
        .map(device -> device.getID())
        .toList();
  }

  private static Set<DeviceUuid> cards(List<String> ids) {
    return Set.copyOf(
        ids.stream().map(id -> DeviceId.parse(id).orElseThrow().device()).distinct().toList());
  }
}
