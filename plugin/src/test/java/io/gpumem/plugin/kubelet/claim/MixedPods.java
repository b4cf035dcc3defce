package io.gpumem.plugin.kubelet.claim;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.placement.Placement;
import io.gpumem.core.placement.Verdict;
import io.gpumem.core.reservation.Likeness;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.HolderCheck;
import io.gpumem.plugin.allocate.Reading;
import io.gpumem.plugin.kubelet.KubeletLink;
import io.gpumem.plugin.kubelet.PodTable;
import io.gpumem.plugin.kubelet.fake.AllocatorEndpoint;
import io.gpumem.plugin.kubelet.fake.CoreTable;
import io.gpumem.plugin.kubelet.fake.KubeletContainer;
import io.gpumem.plugin.kubelet.fake.KubeletCore;
import io.gpumem.plugin.kubelet.fake.KubeletEvent;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import io.gpumem.plugin.kubelet.fake.Release;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A node of three devices on which pods of init containers, sidecars and app containers come and
 * go, played from a seed without any thread or wait: an extender that plans on books published some
 * time ago, a kubelet that admits in an order of its own, a table that is read now and then.
 */
final class MixedPods {

  static final int UNITS = 12;
  private static final int DEVICES = 3;
  private static final String RESOURCE = "example.com/gpu-mem";
  private static final NodeName NODE = new NodeName("n1");
  private static final int LARGEST = 6;

  private final Random chance;
  private final KubeletCore kubelet;
  private final PodTable table;
  private final List<PodFacts> bound = new ArrayList<>();
  private final List<PodFacts> waiting = new ArrayList<>();
  private final List<PodFacts> admitted = new ArrayList<>();
  private final List<String> refusals = new ArrayList<>();
  private final Inventory inventory;
  private Allocator allocator;
  private NodeFacts published;
  private long nowNanos;
  private int created;

  MixedPods(long seed) {
    chance = new Random(seed);
    kubelet = KubeletCore.fresh(Release.V1_36, seed);
    table = new CoreTable(() -> Optional.of(kubelet), RESOURCE, () -> nowNanos);
    inventory = inventory();
    allocator = fresh();
    published = allocator.view().facts();
    kubelet.connect(RESOURCE, "gpumem.sock", new AllocatorEndpoint(() -> allocator));
    kubelet.take(RESOURCE, KubeletLink.list(inventory, Set.of(), false));
  }

  private static Inventory inventory() {
    List<Device> devices = new ArrayList<>();
    for (int index = 0; index < DEVICES; index++) {
      devices.add(
          new Device(
              new DeviceUuid("GPU-%08d-0000-4000-8000-000000000000".formatted(index)),
              index,
              "Card",
              Optional.empty(),
              Memory.ofGib(UNITS),
              Memory.ofGib(UNITS),
              UNITS,
              OptionalInt.empty(),
              Health.HEALTHY));
    }
    return new Inventory(Memory.ofGib(1), devices);
  }

  private Allocator fresh() {
    Allocator made =
        new Allocator(
            NODE,
            Allocator.Matching.ON,
            Duration.ZERO,
            () -> true,
            table,
            () -> nowNanos,
            event -> {});
    made.inventory(inventory);
    return made;
  }

  /** One thing that happens. */
  void step() {
    pass(Duration.ofMillis(chance.nextInt(400)));
    switch (chance.nextInt(10)) {
      case 0, 1, 2 -> bind();
      case 3, 4, 5 -> admit();
      case 6 -> end();
      case 7 -> readUnsettled();
      case 8 -> published = allocator.view().facts();
      default -> {
        if (chance.nextInt(6) == 0) {
          restart();
        }
      }
    }
  }

  private void pass(Duration time) {
    nowNanos += time.toNanos();
  }

  /** A new pod, if an extender would bind it by what is published and bound. */
  private void bind() {
    PodFacts pod = pod("p" + created++);
    NodeBooks books = NodeBooks.of(published, bound);
    boolean confused =
        pod.demand().containers().stream()
            .anyMatch(
                each -> books.isConfused(Likeness.of(pod, each, DeviceChoice.ANY, inventory)));
    Verdict verdict =
        Placement.place(
            pod.demand(),
            DeviceChoice.ANY,
            chance.nextBoolean() ? Policy.BINPACK : Policy.SPREAD,
            books.ledger());
    if (!confused && verdict instanceof Verdict.Fits fits) {
      PodFacts placed =
          pod.boundTo(NODE, new Reservation(pod.uid(), NODE, DeviceChoice.ANY, fits.containers()));
      bound.add(placed);
      waiting.add(placed);
      allocator.podSeen(placed);
    }
  }

  /** Up to two init containers or sidecars, and one or two apps: the last call is an app's. */
  private PodFacts pod(String name) {
    List<ContainerDemand> containers = new ArrayList<>();
    for (int i = chance.nextInt(3); i > 0; i--) {
      Phase phase = chance.nextInt(3) == 0 ? Phase.SIDECAR : Phase.INIT;
      containers.add(new ContainerDemand("first" + i, phase, 1 + chance.nextInt(LARGEST)));
    }
    for (int i = 1 + chance.nextInt(2); i > 0; i--) {
      containers.add(new ContainerDemand("app" + i, Phase.APP, 1 + chance.nextInt(LARGEST)));
    }
    return new PodFacts(
        new PodUid("uid-" + name),
        new PodName("team-a", name),
        Optional.empty(),
        Optional.empty(),
        0,
        created,
        new Demand(containers),
        Decoded.absent(),
        Decoded.absent());
  }

  /** Mostly the first in order, as a watch has it, and now and then another. */
  private void admit() {
    if (waiting.isEmpty()) {
      return;
    }
    PodFacts pod = waiting.remove(chance.nextInt(3) == 0 ? chance.nextInt(waiting.size()) : 0);
    KubeletPod given = kubeletPod(pod);
    kubelet.bind(given);
    kubelet.run(given).ifPresent(event -> noteRefusal(pod, event));
    admitted.add(pod);
  }

  private void noteRefusal(PodFacts pod, KubeletEvent event) {
    if (event instanceof KubeletEvent.PodFailed failed) {
      refusals.add(pod.name() + " " + pod.demand() + ": " + failed.message());
    }
  }

  private static KubeletPod kubeletPod(PodFacts pod) {
    List<KubeletContainer> containers = new ArrayList<>();
    for (ContainerDemand each : pod.demand().containers()) {
      int units = Math.toIntExact(each.units());
      containers.add(
          switch (each.phase()) {
            case INIT -> KubeletContainer.init(each.container(), RESOURCE, units);
            case SIDECAR -> KubeletContainer.sidecar(each.container(), RESOURCE, units);
            case APP -> KubeletContainer.app(each.container(), RESOURCE, units);
          });
    }
    return new KubeletPod(
        pod.uid().text(), pod.name().namespace(), pod.name().name(), Instant.EPOCH, containers);
  }

  /**
   * A pod's containers are down, and then its object is deleted. What it held is published by then:
   * the end of a swapped pod that is not would free the wrong device in the extender's eyes.
   */
  private void end() {
    if (!admitted.isEmpty()) {
      readUnsettled();
      published = allocator.view().facts();
      PodFacts pod = admitted.remove(chance.nextInt(admitted.size()));
      kubelet.terminate(pod.uid().text());
      kubelet.stopped(pod.uid().text());
      bound.remove(pod);
      allocator.podGone(pod.uid());
    }
  }

  private void readUnsettled() {
    for (PodName name : allocator.unsettledNames()) {
      read(name);
    }
  }

  private void read(PodName name) {
    switch (table.ask(name, Duration.ZERO)) {
      case HolderCheck.Held.Listed(Reading reading) -> allocator.shown(reading);
      case HolderCheck.Held.Gone() -> allocator.notShown(name, nowNanos);
      case HolderCheck.Held.Unknown(String why) -> throw new AssertionError(why);
    }
  }

  /** A killed plugin comes back with what was published, the pods, and the table. */
  private void restart() {
    Allocator next = fresh();
    next.podsListed(bound);
    next.published(published.allocations());
    PodTable.Listed listed = table.list(Duration.ZERO);
    assertInstanceOf(PodTable.Listed.Table.class, listed).readings().forEach(next::shown);
    allocator = next;
  }

  /** Admits all that wait, and reads the table until nothing can be in flight any more. */
  void comeToRest() {
    while (!waiting.isEmpty()) {
      admit();
    }
    for (int i = 0; i < 4; i++) {
      pass(Duration.ofSeconds(TimeUnit.MINUTES.toSeconds(1)));
      List<PodName> all = new ArrayList<>(allocator.allNames());
      all.forEach(this::read);
    }
    published = allocator.view().facts();
  }

  /** Pods that the kubelet failed though they were planned; none if all is well. */
  List<String> refusals() {
    return refusals;
  }

  int served() {
    return admitted.size();
  }

  /** What live pods hold by the kubelet's own table, each ID once: units per device, by UID. */
  Map<String, Map<DeviceUuid, Long>> truth() {
    Map<String, Map<DeviceUuid, Long>> truth = new TreeMap<>();
    var table = kubelet.table();
    for (PodFacts pod : admitted) {
      Set<String> ids = new HashSet<>();
      table.getOrDefault(pod.uid().text(), new TreeMap<>()).values().forEach(ids::addAll);
      Map<DeviceUuid, Long> devices = new TreeMap<>();
      ids.forEach(id -> devices.merge(DeviceId.parse(id).orElseThrow().device(), 1L, Long::sum));
      truth.put(pod.uid().text(), devices);
    }
    return truth;
  }

  /** What an extender reckons by the published books. */
  Map<String, Map<DeviceUuid, Long>> books() {
    return books(NodeBooks.of(published, bound));
  }

  /** What the plugin itself decides by at this moment. */
  Map<String, Map<DeviceUuid, Long>> deciding() {
    return books(allocator.view().effective());
  }

  private static Map<String, Map<DeviceUuid, Long>> books(NodeBooks of) {
    Map<String, Map<DeviceUuid, Long>> books = new TreeMap<>();
    of.ledger()
        .holdings()
        .forEach(
            each ->
                books.put(
                    each.uid().map(PodUid::text).orElse(each.name().toString()), each.devices()));
    return books;
  }

  /** The most of a device that the plugin holds for taken at this moment. */
  long fullest() {
    var ledger = allocator.view().effective().ledger();
    return inventory.devices().stream()
        .mapToLong(device -> ledger.used(device.uuid()))
        .max()
        .orElse(0);
  }
}
