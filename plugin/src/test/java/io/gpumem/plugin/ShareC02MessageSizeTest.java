package io.gpumem.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.life.ExitCode;
import io.gpumem.plugin.kubelet.fake.ListMessage;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Case C02 of real bug reports: the list must stay under what the kubelet's client takes. */
final class ShareC02MessageSizeTest {

  private static final int KUBELET_TAKES = 4_194_304;
  private static final int LARGE_CARD = 294_912;

  @TempDir Path root;

  @Test
  void endsWithTheUnitAndTheLimitNamedWhenTheUnitIsTooFine() throws Exception {
    try (PluginOnSockets all = new PluginOnSockets(root, CardFile.of(root, eight(81_920)))) {
      all.start("--unit=1Mi");

      assertEquals(ExitCode.BAD_OPTIONS, all.exitCode());
      String last = all.logged().getLast();
      assertTrue(last.contains("a unit of 1Mi makes 655360 device IDs"), last);
      assertTrue(last.contains("5000 IDs"), last);
      assertTrue(last.contains("The smallest unit that works here is 131Mi"), last);
      assertEquals(List.of(), all.kubelet.lists());
    }
  }

  @Test
  void servesEightLargeCardsInListsThatTheKubeletTakes() throws Exception {
    int[] cards = eight(LARGE_CARD);
    try (PluginOnSockets all = PluginOnSockets.serving(root, cards)) {
      assertEquals(2304L, all.kubelet.capacity().get(PluginOnSockets.RESOURCE));
      assertEquals(2304L, all.kubelet.allocatable().get(PluginOnSockets.RESOURCE));
      for (ListMessage message : all.kubelet.lists()) {
        assertTrue(message.bytes() <= KUBELET_TAKES, () -> message.bytes() + " bytes");
      }
    }
  }

  private static int[] eight(int mib) {
    int[] cards = new int[8];
    Arrays.fill(cards, mib);
    return cards;
  }
}
