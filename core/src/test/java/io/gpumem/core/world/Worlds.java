package io.gpumem.core.world;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.inventory.MigSlice;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Nodes and pods made by chance. Most of what it makes is honest and small, so that requests meet
 * on devices and have equals; a part is forged, half done or absurdly large.
 */
public final class Worlds {

  private static final List<String> MODELS = List.of(Given.MODEL, "NVIDIA L4", "ü \"model\" \\");
  private static final long[] DEVICE_UNITS = {0, 1, 4, 8, 16, 16, 16, 139};
  private static final long[] SIZES = {1, 2, 2, 4, 4, 4, 4, 8, 8, 10};
  private static final long[] ABSURD = {
    17, 4_294_967_297L, 1L << 62, Long.MAX_VALUE - 1, Long.MAX_VALUE
  };

  private final Random random;

  public Worlds(long seed) {
    // The first numbers of neighbouring seeds are alike; of seeds far apart they are not.
    this.random = new Random(seed * 0x9E3779B97F4A7C15L);
  }

  public Random random() {
    return random;
  }

  private boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  private <T> T oneOf(List<T> items) {
    return items.get(random.nextInt(items.size()));
  }

  private long oneOf(long[] items) {
    return items[random.nextInt(items.length)];
  }

  /** Units that a container may ask or hold: few, now and then absurdly many. */
  public long units() {
    return oneIn(40) ? oneOf(ABSURD) : oneOf(SIZES);
  }

  /** Up to four devices A, B, C, D; some of no use. */
  public Inventory inventory() {
    List<Device> devices = new ArrayList<>();
    int count = random.nextInt(5);
    for (int i = 0; i < count; i++) {
      devices.add(device(String.valueOf((char) ('A' + i)), i));
    }
    Collections.shuffle(devices, random);
    return new Inventory(oneIn(4) ? Memory.ofMib(256) : Memory.ofGib(1), devices);
  }

  private Device device(String letter, int index) {
    long units = oneOf(DEVICE_UNITS);
    Memory usable = Memory.ofGib(units);
    return new Device(
        Given.uuid(letter),
        2 * index + random.nextInt(2),
        oneIn(4) ? oneOf(MODELS) : Given.MODEL,
        oneIn(5) ? Optional.of(new MigSlice(Given.uuid("P"), "1g.18gb")) : Optional.empty(),
        usable.plus(Memory.ofMib(random.nextInt(1000))),
        usable,
        units,
        oneIn(2) ? OptionalInt.of(random.nextInt(4)) : OptionalInt.empty(),
        oneIn(8) ? new Health.Unhealthy("XID " + random.nextInt(100)) : Health.HEALTHY);
  }

  /** A pod's containers in spec order. */
  public Demand demand() {
    List<ContainerDemand> containers = new ArrayList<>();
    while (containers.size() < 2 && oneIn(4)) {
      Phase phase = oneIn(2) ? Phase.INIT : Phase.SIDECAR;
      containers.add(new ContainerDemand("i" + containers.size(), phase, units()));
    }
    int apps = 1 + random.nextInt(2) - (containers.isEmpty() ? 0 : random.nextInt(2));
    for (int i = 0; i < apps; i++) {
      containers.add(new ContainerDemand("c" + i, Phase.APP, units()));
    }
    return new Demand(containers);
  }

  public DeviceChoice choice() {
    int devices = oneIn(6) ? 2 : 1;
    return new DeviceChoice(devices, oneIn(8) ? Set.of(oneOf(MODELS)) : Set.of());
  }

  /** A world of up to eight pods; one in four is crowded. */
  public World world() {
    if (oneIn(4)) {
      return crowd();
    }
    Inventory inventory = inventory();
    List<PodFacts> pods = new ArrayList<>();
    int count = random.nextInt(9);
    for (int i = 0; i < count; i++) {
      pods.add(pod("p" + i, inventory));
    }
    Set<DeviceUuid> cordoned = oneIn(4) ? Set.of(anyDevice(inventory)) : Set.of();
    NodeFacts node =
        new NodeFacts(Given.NODE, inventory, cordoned, allocations(pods, inventory), true);
    return new World(node, pods);
  }

  /** Many equal pods of believed plans, of which the kubelet has served some in another order. */
  public World crowd() {
    Inventory inventory = Given.gpus(oneOf(new long[] {8, 16}), 16, oneOf(new long[] {12, 20}));
    List<PodFacts> pods = new ArrayList<>();
    List<DeviceUuid> places = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String letter = oneOf(List.of("A", "B", "C"));
      long units = oneIn(3) ? 8 : 4;
      pods.add(PodSketch.pod("p" + i).app("main", units).reserved(letter).facts());
      places.add(Given.uuid(letter));
    }
    Collections.shuffle(places, random);
    Map<PodUid, PodAllocation> known = new TreeMap<>();
    for (int i = 0; i < 8; i++) {
      PodFacts pod = pods.get(i);
      Map<DeviceUuid, Long> given = Map.of(places.get(i), pod.demand().footprint());
      if (oneIn(2)) {
        known.put(pod.uid(), new PodAllocation(pod.name(), Map.of("main", given), Map.of()));
      }
    }
    pods.removeIf(pod -> oneIn(3));
    Map<PodName, Map<DeviceUuid, Long>> names =
        oneIn(2)
            ? Map.of(new PodName("team-a", "who"), Map.of(anyDevice(inventory), 8L))
            : Map.of();
    Allocations allocations = new Allocations(known, names);
    return new World(new NodeFacts(Given.NODE, inventory, Set.of(), allocations, true), pods);
  }

  /** A pod bound to the node, with a plan that may be honest, forged or absent. */
  public PodFacts pod(String name, Inventory inventory) {
    Demand demand = demand();
    PodUid uid = Given.uid(name);
    return new PodFacts(
        uid,
        new PodName("team-a", name),
        Optional.of(Given.NODE),
        Optional.empty(),
        random.nextInt(3),
        random.nextInt(5) * 1000L,
        demand,
        Decoded.absent(),
        reservation(uid, demand, inventory));
  }

  private Decoded<Reservation> reservation(PodUid uid, Demand demand, Inventory inventory) {
    Reservation honest = honest(uid, demand, choice(), inventory);
    return switch (random.nextInt(16)) {
      case 0, 1 -> Decoded.absent();
      case 2 -> Decoded.malformed("no JSON");
      case 3 -> Decoded.ok(honest(Given.uid("other"), demand, honest.choice(), inventory));
      case 4 ->
          Decoded.ok(
              new Reservation(uid, new NodeName("n2"), honest.choice(), honest.containers()));
      case 5 -> Decoded.ok(honest(uid, demand(), honest.choice(), inventory));
      case 6 -> Decoded.ok(elsewhere(honest));
      default -> Decoded.ok(honest);
    };
  }

  private Reservation elsewhere(Reservation plan) {
    Map<String, Map<DeviceUuid, Long>> containers = new TreeMap<>(plan.containers());
    containers.replaceAll((name, devices) -> Map.of(Given.uuid("X"), units()));
    return new Reservation(plan.uid(), plan.node(), plan.choice(), containers);
  }

  /** A plan that asks what the spec asks, on devices of the choice if there are enough. */
  public Reservation honest(PodUid uid, Demand demand, DeviceChoice choice, Inventory inventory) {
    Map<String, Map<DeviceUuid, Long>> containers = new TreeMap<>();
    List<DeviceUuid> devices = accepted(choice, inventory);
    for (ContainerDemand container : demand.containers()) {
      if (!demand.hasOrdinaryInit()) {
        Collections.shuffle(devices, random);
      }
      Map<DeviceUuid, Long> shares = new TreeMap<>();
      int count = Math.min(choice.devices(), devices.size());
      devices
          .subList(0, count)
          .forEach(device -> shares.put(device, Math.max(1, container.units() / count)));
      containers.put(container.container(), shares);
    }
    return new Reservation(uid, Given.NODE, choice, containers);
  }

  private static List<DeviceUuid> accepted(DeviceChoice choice, Inventory inventory) {
    List<DeviceUuid> accepted = new ArrayList<>();
    for (Device device : inventory.devices()) {
      if (choice.models().isEmpty() || choice.models().contains(device.model())) {
        accepted.add(device.uuid());
      }
    }
    return accepted;
  }

  private DeviceUuid anyDevice(Inventory inventory) {
    return inventory.devices().isEmpty() || oneIn(30)
        ? Given.uuid("X")
        : oneOf(inventory.devices()).uuid();
  }

  /** What the plugin may have published when these pods are bound: complete, stale or odd. */
  public Allocations allocations(List<PodFacts> pods, Inventory inventory) {
    Map<PodUid, PodAllocation> known = new TreeMap<>();
    for (PodFacts pod : pods) {
      if (!oneIn(3)) {
        known.put(pod.uid(), allocation(pod, inventory));
      }
    }
    if (oneIn(4)) {
      PodFacts ended = pod("ended", inventory);
      known.put(ended.uid(), allocation(ended, inventory));
    }
    Map<PodName, Map<DeviceUuid, Long>> names = new TreeMap<>();
    while (oneIn(5)) {
      String name = oneIn(3) ? "p0" : "who" + names.size();
      names.put(new PodName("team-a", name), Map.of(anyDevice(inventory), units()));
    }
    return new Allocations(known, names);
  }

  private PodAllocation allocation(PodFacts pod, Inventory inventory) {
    Map<String, Map<DeviceUuid, Long>> containers = new TreeMap<>();
    for (ContainerDemand container : pod.demand().containers()) {
      if (container.phase() != Phase.INIT && !oneIn(4)) {
        containers.put(container.container(), given(pod, container, inventory));
      }
    }
    if (oneIn(40)) {
      containers.put("stranger", Map.of(anyDevice(inventory), units()));
    }
    Map<DeviceUuid, Long> init = new TreeMap<>();
    if (oneIn(pod.demand().hasOrdinaryInit() ? 2 : 40)) {
      init.put(anyDevice(inventory), Math.max(1, pod.demand().initSurplus()));
    }
    return new PodAllocation(pod.name(), containers, init);
  }

  /** What a container got: mostly its units, mostly where it was planned. */
  private Map<DeviceUuid, Long> given(
      PodFacts pod, ContainerDemand container, Inventory inventory) {
    Optional<Map<DeviceUuid, Long>> plan =
        pod.reservation().understood().map(it -> it.containers().get(container.container()));
    if (plan.isPresent() && oneIn(2)) {
      return plan.get();
    }
    if (oneIn(20)) {
      return Map.of();
    }
    int count = oneIn(8) ? 2 : 1;
    Set<DeviceUuid> devices = new TreeSet<>();
    while (devices.size() < count && devices.size() <= inventory.devices().size()) {
      devices.add(anyDevice(inventory));
    }
    long units = oneIn(15) ? units() : container.units();
    Map<DeviceUuid, Long> given = new TreeMap<>();
    devices.forEach(device -> given.put(device, Math.max(1, units / devices.size())));
    return given;
  }
}
