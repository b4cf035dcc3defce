package io.gpumem.plugin.allocate;

import static io.gpumem.plugin.allocate.Known.A;
import static io.gpumem.plugin.allocate.Known.B;
import static io.gpumem.plugin.allocate.Known.ids;
import static io.gpumem.plugin.allocate.Known.loner;
import static io.gpumem.plugin.allocate.Known.name;
import static io.gpumem.plugin.allocate.Known.parsed;
import static io.gpumem.plugin.allocate.Known.pod;
import static io.gpumem.plugin.allocate.Known.shows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodUid;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is reckoned once and kept is what would be reckoned now. */
final class NodeStateProperties {

  private static final int UNITS = 12;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void askingInBetweenChangesNothing(long seed) {
    for (int round = 0; round < 60; round++) {
      Random chance = new Random(seed * 1_000 + round);
      Random again = new Random(seed * 1_000 + round);
      NodeState asked = new NodeState(Known.NODE);
      NodeState unasked = new NodeState(Known.NODE);
      for (int step = 1; step <= 30; step++) {
        long now = step * Duration.ofMillis(400).toNanos();
        step(asked, chance, now);
        assertSame(asked.view(), asked.view());
        assertEquals(asked.situation(now).held(), asked.heldIds());
        step(unasked, again, now);
      }
      long end = Duration.ofSeconds(13).toNanos();
      String where = "seed " + seed + " round " + round;
      assertEquals(unasked.view(), asked.view(), where);
      assertEquals(unasked.situation(end), asked.situation(end), where);
    }
  }

  private static void step(NodeState state, Random chance, long now) {
    String who = "p" + chance.nextInt(5);
    int first = chance.nextInt(UNITS - 3);
    List<String> some = ids(chance.nextBoolean() ? A : B, first, first + 1 + chance.nextInt(3));
    switch (chance.nextInt(12)) {
      case 0 -> state.inventory(Known.inventory(UNITS, chance.nextInt(2) * UNITS));
      case 1 -> state.cordoned(chance.nextBoolean() ? Set.of(A) : Set.of());
      case 2, 3, 4 -> state.podSeen(some(who, chance), now);
      case 5 -> state.podGone(new PodUid("uid-" + who));
      case 6 -> state.podsListed(List.of(some("p0", chance), some("p1", chance)), now);
      case 7 -> state.shown(shows(who, now, Map.of("main", some)), now);
      case 8 -> state.shown(shows(who, now, Map.of()), now);
      case 9 -> state.notShown(name(who), now);
      case 10 -> state.tableMayBeLost(now);
      default -> {
        PreferredCall call = new PreferredCall(some, Set.of(), some.size());
        Preference.Choice choice = Preference.choose(state.situation(now), call);
        state.picked(call, choice.offered(), choice.ids(), now);
        state.answered(parsed(choice.ids()), now);
      }
    }
  }

  private static PodFacts some(String name, Random chance) {
    long units = 1 + chance.nextInt(3);
    DeviceUuid device = chance.nextBoolean() ? A : B;
    return switch (chance.nextInt(3)) {
      case 0 -> loner(name, units);
      case 1 -> pod(name, units, device);
      default ->
          pod(
              name,
              List.of(
                  new ContainerDemand("setup", Phase.INIT, units),
                  new ContainerDemand("main", Phase.APP, 2)),
              Optional.of(Map.of("setup", Map.of(device, units), "main", Map.of(device, 2L))));
    };
  }
}
