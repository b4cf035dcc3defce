package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.wire.Keys;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.ContainerView;
import io.gpumem.plugin.allocate.HolderCheck;
import io.gpumem.plugin.kubelet.fake.KubeletSettings;
import io.gpumem.plugin.kubelet.fake.Release;
import io.gpumem.plugin.kubelet.fake.StandInKubelet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two plugins at once, as when a rolling update overlaps or the old one is slow to end. */
final class OverlapTest {

  private static final String RESOURCE = Keys.DEFAULT_RESOURCE;
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int UNITS = 16;

  @TempDir Path root;

  /** One plugin process, as far as the kubelet can tell. */
  private static final class OnePlugin implements AutoCloseable {
    final BlockingQueue<KubeletLink.Event> events = new LinkedBlockingQueue<>();
    private final UnixSockets sockets = new UnixSockets();
    private final KubeletLink link;

    OnePlugin(Path directory) {
      Allocator allocator =
          new Allocator(
              new NodeName("n1"),
              Allocator.Matching.ON,
              Duration.ZERO,
              () -> true,
              (pod, limit) -> new HolderCheck.Held.Gone(),
              System::nanoTime,
              event -> {});
      allocator.inventory(inventory());
      link =
          new KubeletLink(
              new KubeletLink.Settings(directory, RESOURCE, Duration.ofMillis(50), true),
              sockets,
              allocator,
              devices ->
                  ContainerView.of(
                      devices, Memory.ofGib(1), Set.of(ContainerView.Strategy.ENVVAR), Map.of()),
              events::add);
      link.update(KubeletLink.list(inventory(), Set.of(), false));
      link.start();
    }

    private static Inventory inventory() {
      Memory memory = Memory.ofGib(UNITS);
      Device card =
          new Device(
              new DeviceUuid("GPU-00000000-0000-4000-8000-000000000001"),
              0,
              "Card",
              Optional.empty(),
              memory,
              memory,
              UNITS,
              OptionalInt.empty(),
              Health.HEALTHY);
      return new Inventory(Memory.ofGib(1), List.of(card));
    }

    void await(KubeletLink.Event event) throws InterruptedException {
      KubeletLink.Event next = events.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
      while (next != null && next != event) {
        next = events.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
      }
      assertTrue(next == event, "expected within " + LIMIT + ": " + event);
    }

    @Override
    public void close() {
      link.close();
      sockets.close();
    }
  }

  /** Up to 1.36 the late end of the old one's stream disconnects the new one. */
  @ParameterizedTest
  @EnumSource(Release.class)
  void theNewPluginServesAfterTheOldOneEndsLate(Release release) throws Exception {
    KubeletSettings settings = KubeletSettings.at(root).withRelease(release);
    try (StandInKubelet kubelet = StandInKubelet.start(settings, event -> {})) {
      OnePlugin old = new OnePlugin(settings.devicePlugins());
      old.await(KubeletLink.Event.REGISTERED);
      try (OnePlugin fresh = new OnePlugin(settings.devicePlugins())) {
        fresh.await(KubeletLink.Event.REGISTERED);
        assertTrue(kubelet.awaitAllocatable(RESOURCE, UNITS, LIMIT));

        old.close();
        if (release == Release.V1_36) {
          fresh.await(KubeletLink.Event.STREAM_ENDED);
          fresh.await(KubeletLink.Event.REGISTERED);
        }

        awaitOneStream(kubelet);
        assertTrue(kubelet.awaitAllocatable(RESOURCE, UNITS, LIMIT));
        assertTrue(fresh.link.isServing());
      }
    }
  }

  private static void awaitOneStream(StandInKubelet kubelet) throws InterruptedException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (kubelet.openStreams() != 1) {
      assertTrue(System.nanoTime() < deadline, () -> kubelet.openStreams() + " streams");
      Thread.sleep(10);
    }
  }
}
