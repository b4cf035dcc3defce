package io.gpumem.plugin.kubelet.fake;

import static io.gpumem.plugin.kubelet.fake.Rig.RESOURCE;
import static io.gpumem.plugin.kubelet.fake.Rig.device;
import static io.gpumem.plugin.kubelet.fake.Rig.podOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.plugin.kubelet.fake.KubeletEvent.ContainerWaiting;
import io.gpumem.plugin.kubelet.fake.KubeletEvent.PodRunning;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts and restarts of containers, after admission. */
class StandInKubeletContainerTest {
  @TempDir Path root;

  @Test
  void replaysTheRecordedAnswerThoughTheDeviceIsUnhealthy() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(2);
      PodRunning first = rig.running(podOf("a", 1));
      plugin.publish(List.of(device(0, "Unhealthy"), device(1, "Unhealthy")));
      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 0, Rig.LIMIT));

      assertEquals(Optional.of(first), rig.kubelet.startContainers("uid-a"));

      assertEquals(1, rig.kubelet.calls(KubeletCall.Method.ALLOCATE).size());
    }
  }

  @Test
  void startsNothingThatIsNotAdmitted() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(2);
      rig.failed(podOf("a", 3));

      assertEquals(Optional.empty(), rig.kubelet.startContainers("uid-a"));
      assertEquals(Optional.empty(), rig.kubelet.startContainers("uid-unknown"));
    }
  }

  @Test
  void waitsWithTheStartWhenToldTo() throws Exception {
    try (Rig rig = new Rig(KubeletSettings.at(root).withContainersHeld())) {
      rig.plugin(2);
      rig.kubelet.add(podOf("a", 1));
      rig.kubelet.awaitIdle(Rig.LIMIT);
      assertEquals(List.of(), rig.outcomes("uid-a"));

      assertInstanceOf(PodRunning.class, rig.kubelet.startContainers("uid-a").orElseThrow());
    }
  }

  @Test
  void startsAgainWhileThePluginIsGoneButNotPastTheGracePeriod() throws Exception {
    KubeletSettings settings = KubeletSettings.at(root).withStopGrace(Duration.ofMillis(300));
    try (Rig rig = new Rig(settings)) {
      TinyPlugin plugin = rig.plugin(2);
      rig.running(podOf("a", 1));
      plugin.close();

      Rig.eventually(
          "a restart hangs once the plugin is forgotten",
          () ->
              rig.kubelet.startContainers("uid-a").orElseThrow() instanceof ContainerWaiting waiting
                  && waiting.reason().equals("CreateContainerConfigError")
                  && waiting
                      .message()
                      .equals(
                          "endpoint not found in cache for a registered resource: " + RESOURCE));
      rig.plugin(2);
      assertInstanceOf(PodRunning.class, rig.kubelet.startContainers("uid-a").orElseThrow());
    }
  }

  @Test
  void callsPreStartBeforeEachStartOnlyIfAsked() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.unregistered(2);
      plugin.options = plugin.options.toBuilder().setPreStartRequired(true).build();
      plugin.register();
      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 2, Rig.LIMIT));
      rig.running(podOf("a", 1));
      assertEquals(1, rig.kubelet.calls(KubeletCall.Method.PRE_START_CONTAINER).size());
      plugin.preStart =
          _ -> {
            throw TinyPlugin.refusal("not now");
          };

      ContainerWaiting waiting =
          assertInstanceOf(
              ContainerWaiting.class, rig.kubelet.startContainers("uid-a").orElseThrow());

      assertEquals(
          "device plugin PreStartContainer rpc failed with err: rpc error: code ="
              + " FailedPrecondition desc = not now",
          waiting.message());
      plugin.preStart = _ -> PreStartContainerResponse.getDefaultInstance();
      assertInstanceOf(PodRunning.class, rig.kubelet.startContainers("uid-a").orElseThrow());
    }
  }

  @Test
  void callsNoPreStartUnlessAsked() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(2);
      rig.running(podOf("a", 1));

      assertEquals(List.of(), rig.kubelet.calls(KubeletCall.Method.PRE_START_CONTAINER));
    }
  }

  @Test
  void letsTheFirstOfTwoEntriesWithOneKeyStay() {
    ContainerAllocateResponse one =
        ContainerAllocateResponse.newBuilder().putEnvs("K", "1").putEnvs("A", "a").build();
    ContainerAllocateResponse two =
        ContainerAllocateResponse.newBuilder().putEnvs("K", "2").putEnvs("B", "b").build();

    ContainerView view = ContainerView.merged("main", List.of(one, two));

    assertEquals(Map.of("K", "1", "A", "a", "B", "b"), view.envs());
  }
}
