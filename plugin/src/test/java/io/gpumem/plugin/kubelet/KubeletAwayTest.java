package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.gpumem.core.units.PodName;
import io.gpumem.core.wire.Keys;
import io.gpumem.plugin.allocate.HolderCheck;
import io.gpumem.plugin.kubelet.fake.KubeletSettings;
import io.gpumem.plugin.kubelet.fake.StandInKubelet;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KubeletAwayTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path root;

  @Test
  void theFirstReadingAfterTheKubeletWasAwaySucceeds() throws Exception {
    KubeletSettings settings = KubeletSettings.at(root);
    PodName nobody = new PodName("team-a", "nobody");
    try (UnixSockets sockets = new UnixSockets();
        PodResources table =
            new PodResources(
                sockets, settings.podResourcesSocket(), Keys.DEFAULT_RESOURCE, System::nanoTime)) {
      for (int i = 0; i < 5; i++) {
        assertInstanceOf(PodResources.Listed.Failed.class, table.list(LIMIT));
        assertInstanceOf(HolderCheck.Held.Unknown.class, table.ask(nobody, LIMIT));
      }

      try (StandInKubelet kubelet = StandInKubelet.start(settings, event -> {})) {
        assertInstanceOf(PodResources.Listed.Table.class, table.list(LIMIT));
        assertInstanceOf(HolderCheck.Held.Gone.class, table.ask(nobody, LIMIT));
        kubelet.awaitIdle(LIMIT);
      }
    }
  }
}
