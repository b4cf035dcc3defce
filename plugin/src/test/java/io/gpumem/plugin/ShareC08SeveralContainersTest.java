package io.gpumem.plugin;

import static io.gpumem.plugin.PluginOnSockets.RESOURCE;
import static io.gpumem.plugin.PluginOnSockets.eventuallyEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.plugin.kubelet.DirectCalls;
import io.gpumem.plugin.kubelet.fake.ContainerView;
import io.gpumem.plugin.kubelet.fake.KubeletContainer;
import io.gpumem.plugin.kubelet.fake.KubeletEvent;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.Device;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Case C08 of real bug reports: two GPU containers and one that asks nothing. */
final class ShareC08SeveralContainersTest {

  private static final KubeletContainer PROXY = KubeletContainer.plain("proxy");

  @TempDir Path root;

  @Test
  void givesEachContainerTheCardThatWasPlannedForIt() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 4096, 4096)) {
      KubeletPod p1 = all.api.create("p1", PROXY, asks("c1", 1), asks("c2", 2));
      var plan1 = all.api.bind(p1);
      KubeletPod p2 = all.api.create("p2", asks("c1", 2), asks("c2", 1), PROXY);
      var plan2 = all.api.bind(p2);

      KubeletEvent.PodRunning first = all.run(p1);
      KubeletEvent.PodRunning second = all.run(p2);

      assertGiven(all, p1, plan1, first);
      assertGiven(all, p2, plan2, second);
      eventuallyEquals(Map.of("p1", plan1, "p2", plan2), all.api::truth);
      Map<DeviceUuid, Long> used = all.api.used();
      assertEquals(6, used.values().stream().mapToLong(Long::longValue).sum());
      assertTrue(used.values().stream().allMatch(units -> units <= 4), used::toString);
    }
  }

  @Test
  void answersOneCallWithTwoContainersAsPlannedForEach() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 4096, 4096);
        DirectCalls calls = DirectCalls.to(all.kubelet.settings().devicePlugins())) {
      KubeletPod pod = all.api.create("p1", PROXY, asks("c1", 1), asks("c2", 2));
      // The larger one's card first in order: a plugin that adds both up would not see it.
      Map<String, Map<DeviceUuid, Long>> plan = new TreeMap<>();
      plan.put("c1", Map.of(CardFile.uuid(1), 1L));
      plan.put("c2", Map.of(CardFile.uuid(0), 2L));
      all.api.bindTo(pod, plan);
      List<String> free = ids(all, "");

      List<List<String>> preferred = calls.prefer(free, List.of(1, 2));
      AllocateResponse given = calls.allocate(preferred);

      assertEquals(2, given.getContainerResponsesCount());
      assertEquals(view(1, 1), given.getContainerResponses(0).getEnvsMap());
      assertEquals(view(0, 2), given.getContainerResponses(1).getEnvsMap());
    }
  }

  @Test
  void holdsNothingOfACallWhoseSecondContainerIsRefused() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 4096, 4096);
        DirectCalls calls = DirectCalls.to(all.kubelet.settings().devicePlugins())) {
      List<String> free = ids(all, "");
      List<String> one = ids(all, CardFile.uuid(0).text()).subList(0, 1);

      StatusRuntimeException refused =
          assertThrows(
              StatusRuntimeException.class,
              () -> calls.allocate(List.of(one, List.of("nonsense"))));

      assertTrue(
          String.valueOf(refused.getMessage()).contains("no device ID"), refused::getMessage);
      List<String> again = calls.prefer(free, List.of(4)).getFirst();
      assertEquals(ids(all, CardFile.uuid(0).text()), again, "the whole first card is free");
    }
  }

  private static List<String> ids(PluginOnSockets all, String part) {
    return all.kubelet.lists().getLast().message().getDevicesList().stream()
        .map(Device::getID)
        .filter(id -> id.contains(part))
        .toList();
  }

  private static KubeletContainer asks(String name, int units) {
    return KubeletContainer.app(name, RESOURCE, units);
  }

  private static Map<String, String> view(int card, int units) {
    String mib = Integer.toString(units * 1024);
    return Map.of(
        "NVIDIA_VISIBLE_DEVICES",
        CardFile.uuid(card).text(),
        "NVIDIA_GPU_MEMORY_REQUEST",
        mib,
        "NVIDIA_GPU_MEMORY_LIMIT",
        mib);
  }

  private static void assertGiven(
      PluginOnSockets all,
      KubeletPod pod,
      Map<String, Map<DeviceUuid, Long>> plan,
      KubeletEvent.PodRunning started) {
    assertNotEquals(Map.of(), plan);
    plan.forEach(
        (container, devices) -> {
          assertEquals(devices, all.held(pod, container), pod.name() + " " + container);
          ContainerView view = started.container(container);
          assertEquals(
              devices.keySet().iterator().next().text(), view.envs().get("NVIDIA_VISIBLE_DEVICES"));
        });
    ContainerView proxy = started.container("proxy");
    assertEquals(Map.of(), proxy.envs());
    assertEquals(List.of(), proxy.devices());
  }
}
