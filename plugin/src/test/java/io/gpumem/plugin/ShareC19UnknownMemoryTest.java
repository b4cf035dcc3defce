package io.gpumem.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Case C19 of real bug reports: NVML cannot tell a card's memory, and nobody may guess it. */
final class ShareC19UnknownMemoryTest {

  @TempDir Path root;

  @Test
  void sellsTheCardOnlyAtTheSizeThatTheAdminNames() throws Exception {
    CardFile cards = CardFile.of(root, 16384).plusUnknown();
    try (PluginOnSockets all = new PluginOnSockets(root, cards)) {
      all.start();
      all.awaitServing();
      assertEquals(16L, all.kubelet.capacity().get(PluginOnSockets.RESOURCE));
      List<String> named =
          all.logged().stream()
              .filter(line -> line.contains(CardFile.uuid(1).text()))
              .filter(line -> line.contains("--device-memory=1=<size>"))
              .toList();
      assertEquals(1, named.size(), () -> "once, not at every scan: " + all.logged());
      assertEquals(200, all.get("/readyz").statusCode());
      assertEquals(0, all.stop());

      all.start("--device-memory=1=120Gi");
      assertTrue(
          all.kubelet.awaitAllocatable(PluginOnSockets.RESOURCE, 136, PluginOnSockets.LIMIT));
      assertEquals(136L, all.kubelet.capacity().get(PluginOnSockets.RESOURCE));
    }
  }
}
