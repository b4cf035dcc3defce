package io.gpumem.bench.method;

import io.gpumem.bench.world.ClusterPlan;
import io.gpumem.bench.world.PlannedPod;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.placement.Placement;
import io.gpumem.core.placement.Verdict;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.AllocationsCodec;
import io.gpumem.core.wire.InventoryCodec;
import io.gpumem.core.wire.ReservationCodec;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One node of eight devices and ten pods: its annotations, its books, one placement. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class NodeBenchmark {

  private static final PodName NAME = new PodName("inference", "asks");

  private final ClusterPlan plan = ClusterPlan.of(1);
  private final NodeFacts facts = plan.nodeFacts().getFirst();
  private final List<PodFacts> pods = plan.podFacts();
  private final NodeBooks books = NodeBooks.of(facts, pods);
  private final PodFacts one = PlannedPod.waiting(new PodUid("uid-one"), NAME, List.of(24L));
  private final PodFacts two = PlannedPod.waiting(new PodUid("uid-two"), NAME, List.of(24L, 8L));
  private final Optional<String> table = Optional.of(AllocationsCodec.encode(facts.allocations()));
  private final Optional<String> devices = Optional.of(InventoryCodec.encode(facts.inventory()));
  private final Optional<String> reservation =
      Optional.of(
          ReservationCodec.encode(pods.getFirst().reservation().understood().orElseThrow()));

  @Benchmark
  public NodeBooks books() {
    return NodeBooks.of(facts, pods);
  }

  @Benchmark
  public Verdict placeOneContainer() {
    return Placement.place(one.demand(), DeviceChoice.ANY, Policy.BINPACK, books.ledger());
  }

  @Benchmark
  public Verdict placeTwoContainers() {
    return Placement.place(two.demand(), DeviceChoice.ANY, Policy.BINPACK, books.ledger());
  }

  @Benchmark
  public Decoded<Inventory> readDevices() {
    return InventoryCodec.decode(devices);
  }

  @Benchmark
  public Decoded<Allocations> readAllocations() {
    return AllocationsCodec.decode(table);
  }

  @Benchmark
  public String writeAllocations() {
    return AllocationsCodec.encode(facts.allocations());
  }

  @Benchmark
  public Decoded<Reservation> readReservation() {
    return ReservationCodec.decode(reservation);
  }
}
