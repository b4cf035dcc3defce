package io.gpumem.core.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.placement.Placement;
import io.gpumem.core.placement.Verdict;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Units;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.PodSketch;
import io.gpumem.core.world.Seeds;
import io.gpumem.core.world.Worlds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pods are placed by the books, admitted in any order by a kubelet that tells equal requests apart
 * as little as the real one, and end at any time. Everything planned stays within the devices.
 */
class AdmissionProperties {

  private static final String SEEDS = "io.gpumem.core.world.Seeds#some";

  /** One node over its life. Its state is the pods bound to it and the kubelet's table. */
  private static final class Life {
    private final Random random;
    private final Inventory inventory;
    private final List<PodFacts> pods = new ArrayList<>();
    private final Map<PodUid, PodAllocation> table = new TreeMap<>();
    private int bound;
    int admitted;
    int swapped;

    Life(long seed) {
      random = new Worlds(seed).random();
      inventory = Given.gpus(16, 16, 16);
    }

    NodeBooks books() {
      Allocations allocations = new Allocations(table, Map.of());
      return NodeBooks.of(new NodeFacts(Given.NODE, inventory, Set.of(), allocations, true), pods);
    }

    void step() {
      int dice = random.nextInt(10);
      if (dice < 5) {
        bind();
      } else if (dice < 8) {
        admit();
      } else if (!pods.isEmpty()) {
        table.remove(pods.remove(random.nextInt(pods.size())).uid());
      }
    }

    private void bind() {
      long units = List.of(2L, 4L, 4L, 10L).get(random.nextInt(4));
      PodSketch pod = PodSketch.pod("p" + random.nextInt(1000) + "-" + bound++).app("main", units);
      Policy policy = random.nextBoolean() ? Policy.BINPACK : Policy.SPREAD;
      Verdict verdict = Placement.place(pod.demand(), pod.choice(), policy, books().ledger());
      if (verdict instanceof Verdict.Fits fits) {
        Reservation plan =
            new Reservation(Given.uid(pod.name()), Given.NODE, DeviceChoice.ANY, fits.containers());
        pods.add(pod.facts(Decoded.ok(plan)));
      }
    }

    /** The kubelet admits some pod; we see a size, and serve who waits for that size first. */
    private void admit() {
      List<Outstanding> waiting = books().outstanding();
      if (waiting.isEmpty()) {
        return;
      }
      Outstanding really = waiting.get(random.nextInt(waiting.size()));
      Outstanding taken =
          waiting.stream()
              .filter(each -> each.likeness().units() == really.likeness().units())
              .findFirst()
              .orElseThrow();
      table.put(
          really.pod(),
          new PodAllocation(really.name(), Map.of("main", taken.devices()), Map.of()));
      admitted++;
      swapped += really.devices().equals(taken.devices()) ? 0 : 1;
    }

    Optional<String> overfull() {
      NodeBooks books = books();
      Map<DeviceUuid, Long> given = new TreeMap<>();
      table.values().forEach(pod -> Units.add(given, pod.shown()));
      for (Device device : inventory.devices()) {
        if (given.getOrDefault(device.uuid(), 0L) > device.units()) {
          return Optional.of("given beyond " + device.uuid());
        }
        if (books.ledger().used(device.uuid()) > device.units()) {
          return Optional.of("planned beyond " + device.uuid() + ": " + books);
        }
      }
      return Optional.empty();
    }
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void whateverTheOrderOfAdmissionsNothingIsPlannedBeyondADevice(long seed) {
    Life life = new Life(seed);
    for (int step = 0; step < 150; step++) {
      life.step();
      assertEquals(Optional.empty(), life.overfull(), "seed " + seed + " step " + step);
    }
    assertTrue(life.admitted > 5 && life.swapped > 0, "seed " + seed + " was dull");
  }
}
