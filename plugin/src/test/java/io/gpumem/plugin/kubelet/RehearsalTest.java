package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.plugin.allocate.ContainerView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RehearsalTest {

  private static final DeviceUuid CARD = new DeviceUuid("GPU-00000000-0000-4000-8000-000000000001");

  @ParameterizedTest
  @ValueSource(longs = {2, 16, 5_000})
  void playsBothCallsThrough(long units) {
    List<Map<DeviceUuid, Long>> granted = new ArrayList<>();

    int rounds =
        Rehearsal.play(
            inventory(List.of(units)),
            devices -> {
              granted.add(devices);
              return ContainerView.of(
                  devices, Memory.ofGib(1), Set.of(ContainerView.Strategy.ENVVAR), Map.of());
            });

    assertTrue(rounds > 0);
    assertEquals(rounds, granted.size(), "every round was granted");
    assertEquals(Set.of(Map.of(CARD, units / 2)), Set.copyOf(granted));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bearsANodeWithNothingToSell(boolean device) {
    Inventory nothing = inventory(device ? List.of(0L) : List.of());

    int rounds = Rehearsal.play(nothing, devices -> new ContainerView(Map.of(), List.of()));

    assertTrue(rounds > 0);
  }

  private static Inventory inventory(List<Long> units) {
    List<Device> devices = new ArrayList<>();
    for (long each : units) {
      Memory memory = Memory.ofGib(each);
      devices.add(
          new Device(
              CARD,
              0,
              "Card",
              Optional.empty(),
              memory,
              memory,
              each,
              OptionalInt.empty(),
              Health.HEALTHY));
    }
    return new Inventory(Memory.ofGib(1), devices);
  }
}
