package io.gpumem.plugin.kubelet.fake;

import static io.gpumem.plugin.kubelet.fake.Rig.RESOURCE;
import static io.gpumem.plugin.kubelet.fake.Rig.podOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ordinary init containers hand their devices on, without asking the plugin. */
class StandInKubeletReuseTest {
  @TempDir Path root;

  @Test
  void reusesAnInitContainersDevicesWithoutAsking() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(8);

      rig.running(
          Rig.pod(
              "a",
              KubeletContainer.init("init", RESOURCE, 4),
              KubeletContainer.app("main", RESOURCE, 4)));

      assertEquals(rig.held("uid-a", "init"), rig.held("uid-a", "main"));
      assertEquals(1, preferredRequests(rig).size());
      assertEquals(2, rig.kubelet.calls(KubeletCall.Method.ALLOCATE).size());
    }
  }

  @Test
  void choosesAmongReusableDevicesAtRandom() throws Exception {
    Set<Set<String>> choices = new HashSet<>();
    for (int seed = 1; seed <= 8; seed++) {
      try (Rig rig = new Rig(KubeletSettings.at(root.resolve("s" + seed)).withSeed(seed))) {
        rig.plugin(8);
        rig.running(
            Rig.pod(
                "a",
                KubeletContainer.init("init", RESOURCE, 8),
                KubeletContainer.app("main", RESOURCE, 2)));
        choices.add(rig.held("uid-a", "main"));
      }
    }
    assertTrue(choices.size() > 1, "eight seeds made one choice: " + choices);
  }

  @Test
  void asksForTheRestWithTheReusedDevicesIncluded() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(8);

      rig.running(
          Rig.pod(
              "a",
              KubeletContainer.init("init", RESOURCE, 3),
              KubeletContainer.app("main", RESOURCE, 5)));

      ContainerPreferredAllocationRequest request = preferredRequests(rig).getLast();
      Set<String> reused = rig.held("uid-a", "init");
      assertEquals(reused, Set.copyOf(request.getMustIncludeDeviceIDsList()));
      assertTrue(request.getAvailableDeviceIDsList().containsAll(reused));
      assertEquals(8, request.getAvailableDeviceIDsCount());
      assertEquals(5, request.getAllocationSize());
      assertTrue(rig.held("uid-a", "main").containsAll(reused));
    }
  }

  @Test
  void letsASidecarKeepWhatItReused() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(8);

      rig.running(
          Rig.pod(
              "a",
              KubeletContainer.init("init", RESOURCE, 4),
              KubeletContainer.sidecar("side", RESOURCE, 2),
              KubeletContainer.app("main", RESOURCE, 4)));

      Set<String> init = rig.held("uid-a", "init");
      Set<String> side = rig.held("uid-a", "side");
      Set<String> rest = new HashSet<>(init);
      rest.removeAll(side);
      assertTrue(init.containsAll(side));
      assertEquals(
          rest, Set.copyOf(preferredRequests(rig).getLast().getMustIncludeDeviceIDsList()));
      assertEquals(6, rig.kubelet.booked(RESOURCE).size());
    }
  }

  @Test
  void givesTwoAppsDisjointPartsOfThePool() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(8);

      rig.running(
          Rig.pod(
              "a",
              KubeletContainer.init("init", RESOURCE, 6),
              KubeletContainer.app("one", RESOURCE, 3),
              KubeletContainer.app("two", RESOURCE, 3)));

      Set<String> both = new HashSet<>(rig.held("uid-a", "one"));
      both.addAll(rig.held("uid-a", "two"));
      assertEquals(rig.held("uid-a", "init"), both);
      assertEquals(1, preferredRequests(rig).size());
    }
  }

  @Test
  void keepsAnInitContainersSurplusForThePodsLife() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(8);
      rig.running(
          Rig.pod(
              "a",
              KubeletContainer.init("init", RESOURCE, 6),
              KubeletContainer.app("main", RESOURCE, 1)));

      assertEquals(6, rig.kubelet.booked(RESOURCE).size());
      assertTrue(
          rig.failed(podOf("b", 3)).message().contains("Requested: 3, Available: 2"),
          "the surplus is not free");

      rig.kubelet.finish("uid-a");
      rig.running(podOf("c", 8));
    }
  }

  private static List<ContainerPreferredAllocationRequest> preferredRequests(Rig rig) {
    return rig.kubelet.calls(KubeletCall.Method.GET_PREFERRED_ALLOCATION).stream()
        .map(call -> ((PreferredAllocationRequest) call.request()).getContainerRequests(0))
        .toList();
  }
}
