package io.gpumem.plugin;

import static io.gpumem.plugin.PluginOnSockets.RESOURCE;
import static io.gpumem.plugin.PluginOnSockets.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.plugin.kubelet.fake.KubeletCall;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import io.gpumem.plugin.kubelet.fake.PluginAnswer;
import io.gpumem.plugin.kubelet.fake.Restart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Case C20 of real bug reports: the ways in which the kubelet goes away and comes back. */
final class ShareC20KubeletGoesAwayTest {

  @TempDir Path root;

  /** A plugin with a pod of 10 units, and what must hold after each step. */
  private final class Scene implements AutoCloseable {
    private final PluginOnSockets all;
    private final Map<DeviceUuid, Long> books;
    private final int lists;
    private final long registered;
    private final long allocations;

    Scene(boolean inotify) throws Exception {
      all = new PluginOnSockets(root, CardFile.of(root, 16384));
      all.start(inotify ? "--inotify" : "--inotify=false");
      all.awaitServing();
      KubeletPod a = all.bound("a", 10);
      all.run(a);
      PluginOnSockets.eventuallyEquals(
          Map.of("a", Map.of("main", Map.of(all.card(a), 10L))), all.api::truth);
      books = all.api.used();
      lists = all.kubelet.lists().size();
      registered = registrations();
      allocations = all.kubelet.calls(KubeletCall.Method.ALLOCATE).size();
    }

    private long registrations() {
      return all.kubelet.calls(KubeletCall.Method.REGISTER).stream()
          .filter(call -> call.answer() instanceof PluginAnswer.Given)
          .count();
    }

    void awaitHealed(Duration limit) throws Exception {
      eventually("one more registration", limit, () -> registrations() > registered);
      eventually("a full list", limit, () -> all.kubelet.lists().size() > lists);
      eventually(
          "an open stream and all units",
          limit,
          () ->
              all.kubelet.openStreams() == 1
                  && all.kubelet.allocatable().getOrDefault(RESOURCE, 0L) == 16);
      assertEquals(registered + 1, registrations());
      assertEquals(16, all.kubelet.lists().getLast().devices());
      assertEquals(books, all.api.used());
      assertEquals(allocations, all.kubelet.calls(KubeletCall.Method.ALLOCATE).size());
    }

    @Override
    public void close() throws Exception {
      all.close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void registersAgainAfterAKubeletRestart(boolean inotify) throws Exception {
    try (Scene scene = new Scene(inotify)) {
      scene.all.kubelet.restart(Restart.plain());

      scene.awaitHealed(Duration.ofSeconds(10));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void registersAgainWhenTheKubeletEndsTheStream(boolean inotify) throws Exception {
    try (Scene scene = new Scene(inotify)) {
      scene.all.kubelet.cancelStreams(RESOURCE);

      scene.awaitHealed(Duration.ofSeconds(30));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void goesOnTryingWhileRegisterIsRefusedAndStaysAlive(boolean inotify) throws Exception {
    try (Scene scene = new Scene(inotify)) {
      scene.all.kubelet.faults().refuseRegister(5);
      scene.all.kubelet.restart(Restart.plain());
      eventually("a refusal", () -> scene.all.metric("gpumem_kubelet_link_total", "failed") > 0);
      assertEquals(200, scene.all.get("/healthz").statusCode());

      scene.awaitHealed(Duration.ofSeconds(60));
      assertTrue(scene.all.metric("gpumem_kubelet_link_total", "registration_failed") >= 5);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void registersAgainWhenOnlyItsOwnSocketIsRemoved(boolean inotify) throws Exception {
    try (Scene scene = new Scene(inotify)) {
      scene.all.kubelet.deletePluginSockets();

      scene.awaitHealed(Duration.ofSeconds(30));
    }
  }
}
