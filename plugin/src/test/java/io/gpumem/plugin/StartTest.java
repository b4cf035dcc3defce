package io.gpumem.plugin;

import static io.gpumem.plugin.PluginOnSockets.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A plugin that is not through with its start: it waits for GPUs, and still ends when told to. */
final class StartTest {

  @TempDir Path root;

  @Test
  void endsWithItsOwnCodeWhenTheDriverIsOfAnotherVersionFromTheStart() throws Exception {
    CardFile cards = CardFile.of(root, 16384).driver("mismatch");
    try (PluginOnSockets all = new PluginOnSockets(root, cards)) {
      all.start();

      assertEquals(Plugin.DRIVER_CHANGED, all.exitCode());
    }
  }

  @Test
  void endsWhenItIsToldToWhileItWaitsForADriver() throws Exception {
    CardFile cards = CardFile.of(root, 16384).driver("not-loaded");
    try (PluginOnSockets all = new PluginOnSockets(root, cards)) {
      all.start();
      eventually("a look at the GPUs", () -> all.scans("driver_not_loaded") > 0);

      assertEquals(0, all.stop());
    }
  }

  @Test
  void servesOnceTheDriverIsLoaded() throws Exception {
    CardFile cards = CardFile.of(root, 16384).driver("not-loaded");
    try (PluginOnSockets all = new PluginOnSockets(root, cards)) {
      all.start();
      eventually("a look at the GPUs", () -> all.scans("driver_not_loaded") > 0);

      cards.driver("loaded");

      all.awaitServing();
      assertTrue(all.metric("process_start_time_seconds") > 0, "the process tells of itself");
    }
  }
}
