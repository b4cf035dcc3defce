package io.gpumem.plugin;

import static io.gpumem.plugin.PluginOnSockets.eventuallyEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Case C09 of real bug reports: the kubelet admits in another order than pods were bound. */
final class ShareC09AllocateOrderTest {

  private static final int TIMES = 20;

  @TempDir Path root;

  @ParameterizedTest
  @ValueSource(ints = {10, 9})
  void keepsPodsApartWhenTheSecondBoundIsAdmittedFirst(int unitsOfB) throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      for (int time = 0; time < TIMES; time++) {
        KubeletPod a = all.bound("a" + time, 10);
        KubeletPod b = all.bound("b" + time, unitsOfB);
        all.run(b);
        if (time % 2 == 0) {
          // Every other time the truth about b is out before a comes.
          eventuallyEquals(
              Map.of(all.card(b), (long) unitsOfB),
              () ->
                  all.api.truth().getOrDefault(b.name(), Map.of()).getOrDefault("main", Map.of()));
        }
        all.run(a);

        assertNotEquals(all.card(a), all.card(b), "time " + time);
        Map<String, Map<String, Map<DeviceUuid, Long>>> given = new TreeMap<>();
        given.put(a.name(), Map.of("main", Map.of(all.card(a), 10L)));
        given.put(b.name(), Map.of("main", Map.of(all.card(b), (long) unitsOfB)));
        eventuallyEquals(given, all.api::truth);
        assertEquals(Map.of(all.card(a), 10L, all.card(b), (long) unitsOfB), all.api.used());

        all.delete(a);
        all.delete(b);
        eventuallyEquals(Map.of(), all.api::truth);
        eventuallyEquals(Map.of(), all.api::used);
      }
    }
  }
}
