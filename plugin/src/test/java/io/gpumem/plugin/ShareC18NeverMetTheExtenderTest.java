package io.gpumem.plugin;

import static io.gpumem.plugin.PluginOnSockets.eventuallyEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.plugin.kubelet.fake.KubeletPod;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Case C18 of real bug reports, the plugin's half: a pod that no extender placed. */
final class ShareC18NeverMetTheExtenderTest {

  @TempDir Path root;

  @Test
  void servesItFromOneCardAndTheNextPodFromTheOther() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod loner = all.api.create("loner", ApiSide.main(10));
      all.api.bindPlain(loner);
      String given =
          all.run(loner).container("main").envs().getOrDefault("NVIDIA_VISIBLE_DEVICES", "");

      assertEquals(all.card(loner).text(), given);
      assertTrue(Set.of(CardFile.uuid(0), CardFile.uuid(1)).contains(all.card(loner)), given);
      eventuallyEquals(
          Map.of("loner", Map.of("main", Map.of(all.card(loner), 10L))), all.api::truth);
      assertEquals(Map.of(all.card(loner), 10L), all.api.used());

      KubeletPod ok = all.bound("ok", 10);
      all.run(ok);

      assertNotEquals(all.card(loner), all.card(ok));
    }
  }

  @Test
  void keepsItOffWhatIsReservedForAPodStillOnItsWay() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod planned = all.bound("planned", 10);
      KubeletPod loner = all.api.create("loner", ApiSide.main(8));
      all.api.bindPlain(loner);

      all.run(loner);
      all.run(planned);

      assertNotEquals(all.card(loner), all.card(planned));
    }
  }
}
