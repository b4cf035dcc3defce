package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.units.Units;
import io.gpumem.core.wire.AllocationsCodec;
import io.gpumem.core.wire.CordonList;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.PodReader;
import io.gpumem.core.wire.ReservationCodec;
import io.gpumem.platform.fuzz.fake.Fuzz;
import io.gpumem.platform.fuzz.fake.Mutator;
import io.gpumem.platform.fuzz.fake.Trace;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.NodeState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * The texts that the plugin reads: reservations, the cordon, and what an earlier run published. A
 * forged one moves nothing of what the kubelet's table shows, and no amount; each is put right
 * again.
 */
final class ForgedTexts {

  private static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);

  private final Allocator allocator;
  private final TrueNode node;
  private final PodReader reader = new PodReader(KEYS);

  ForgedTexts(Allocator allocator, TrueNode node) {
    this.allocator = allocator;
    this.node = node;
  }

  Fuzz.Outcome play(Random chance, Trace trace) {
    var mutator = new Mutator(chance);
    return switch (chance.nextInt(6)) {
      case 0 -> cordon(mutator, trace);
      case 1 -> published(mutator, trace);
      default -> reservation(chance, mutator, trace);
    };
  }

  private Fuzz.Outcome cordon(Mutator mutator, Trace trace) {
    String text = mutator.text("0,GPU-a,1");
    trace.input("cordon", text);
    NodeState.View before = allocator.view();
    Set<?> devices = CordonList.parse(Optional.of(text), node.inventory()).devices();
    allocator.cordoned(CordonList.parse(Optional.of(text), node.inventory()).devices());
    assertEquals(before.facts().allocations(), allocator.view().facts().allocations());
    assertEquals(totals(before), totals(allocator.view()));
    allocator.cordoned(Set.of());
    return new Fuzz.Outcome("cordon of " + devices.size() + " devices", true);
  }

  private Fuzz.Outcome published(Mutator mutator, Trace trace) {
    NodeState.View before = allocator.view();
    String text = mutator.json(AllocationsCodec.encode(before.facts().allocations()));
    trace.input("published allocations", text);
    Optional<Allocations> read = AllocationsCodec.decode(Optional.of(text)).understood();
    read.ifPresent(allocator::published);
    assertEquals(before, allocator.view(), "the table is read again, the old text is a hint");
    allocator.published(Allocations.NONE);
    return new Fuzz.Outcome("published allocations", read.isPresent());
  }

  private Fuzz.Outcome reservation(Random chance, Mutator mutator, Trace trace) {
    List<PodFacts> pods = node.pods();
    if (pods.isEmpty()) {
      return new Fuzz.Outcome("no pod to forge for", false);
    }
    PodFacts pod = pods.get(chance.nextInt(pods.size()));
    String honest = ReservationCodec.encode(pod.reservation().understood().orElseThrow());
    String text = chance.nextInt(3) == 0 ? mutator.meaning(honest) : mutator.json(honest);
    trace.input("reservation of " + pod.name(), text);
    PodFacts forged = read(pod, text);
    NodeState.View before = allocator.view();
    allocator.podSeen(forged);
    NodeState.View now = allocator.view();
    assertEquals(before.facts().allocations(), now.facts().allocations(), "the table's truth");
    assertEquals(totals(before), totals(now), "amounts are the spec's");
    for (Device device : node.inventory().devices()) {
      long free = now.books().ledger().free(device);
      assertTrue(free >= 0 && free <= device.units(), () -> device + " has free " + free);
    }
    allocator.podSeen(pod);
    boolean isRead = forged.reservation().understood().isPresent();
    return new Fuzz.Outcome("reservation " + (isRead ? "read" : "refused"), isRead);
  }

  private PodFacts read(PodFacts pod, String reservation) {
    Map<String, String> annotations = new HashMap<>();
    annotations.put(KEYS.reservation(), reservation);
    var identity =
        new PodReader.Identity(
            pod.uid(), pod.name(), pod.node(), pod.nominated(), pod.priority(), 0);
    List<PodReader.SpecContainer> containers =
        pod.demand().containers().stream()
            .map(
                each ->
                    new PodReader.SpecContainer(
                        each.container(), each.phase(), Optional.of(Long.toString(each.units()))))
            .toList();
    return reader.read(identity, annotations, containers).understood().orElseThrow();
  }

  private static Map<String, Long> totals(NodeState.View view) {
    NodeLedger ledger = view.books().ledger();
    Map<String, Long> totals = new TreeMap<>();
    ledger
        .holdings()
        .forEach(
            each ->
                totals.put(each.holder(), Units.sum(Units.total(each.devices()), each.unplaced())));
    return totals;
  }
}
