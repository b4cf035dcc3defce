package io.gpumem.plugin.kubelet.claim;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.plugin.allocate.Allocator;
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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A node with two devices of 16 units, a kubelet's device manager and the allocator, played through
 * from a seed: pods bound in one order and admitted in another, each reservation shown to the
 * plugin late, the table read now and then, the plugin restarted on request.
 */
final class TwoDevices {

  static final int UNITS = 16;
  static final DeviceUuid A = new DeviceUuid("GPU-aaaaaaaa-0000-4000-8000-000000000000");
  static final DeviceUuid B = new DeviceUuid("GPU-bbbbbbbb-0000-4000-8000-000000000000");

  private static final Inventory INVENTORY =
      new Inventory(Memory.ofGib(1), List.of(device(A, 0), device(B, 1)));

  private static final String RESOURCE = "example.com/gpu-mem";
  private static final NodeName NODE = new NodeName("n1");
  private static final String CONTAINER = "main";

  /** Longer than the latest reservation: the wait ends when the reservation comes, not by time. */
  private static final Duration WAIT = Duration.ofSeconds(20);

  private final Random random;
  private final Allocator.Matching matching;
  private final KubeletCore kubelet;
  private final PodTable table;
  private final List<PodFacts> shown = new ArrayList<>();
  private volatile Allocator allocator;

  /** A pod with the device that it was bound to. */
  record Bound(PodFacts facts, DeviceUuid reserved) {}

  TwoDevices(long seed, Allocator.Matching matching) {
    this.random = new Random(seed);
    this.matching = matching;
    this.kubelet = KubeletCore.fresh(Release.V1_37, seed);
    this.table = new CoreTable(() -> Optional.of(kubelet), RESOURCE, System::nanoTime);
    this.allocator = fresh();
    kubelet.connect(RESOURCE, "gpumem.sock", new AllocatorEndpoint(() -> allocator));
    kubelet.take(RESOURCE, KubeletLink.list(INVENTORY, Set.of(), false));
  }

  private Allocator fresh() {
    Allocator made =
        new Allocator(NODE, matching, WAIT, () -> true, table, System::nanoTime, event -> {});
    made.inventory(INVENTORY);
    return made;
  }

  private static Device device(DeviceUuid uuid, int index) {
    return new Device(
        uuid,
        index,
        "Card",
        Optional.empty(),
        Memory.ofGib(UNITS),
        Memory.ofGib(UNITS),
        UNITS,
        OptionalInt.empty(),
        Health.HEALTHY);
  }

  static Bound pod(String name, int units, DeviceUuid reserved) {
    PodUid uid = new PodUid("uid-" + name);
    Reservation plan =
        new Reservation(
            uid, NODE, DeviceChoice.ANY, Map.of(CONTAINER, Map.of(reserved, (long) units)));
    Demand demand = new Demand(List.of(new ContainerDemand(CONTAINER, Phase.APP, units)));
    PodFacts facts =
        new PodFacts(
            uid,
            new PodName("team-a", name),
            Optional.of(NODE),
            Optional.empty(),
            0,
            0,
            demand,
            Decoded.absent(),
            Decoded.ok(plan));
    return new Bound(facts, reserved);
  }

  /**
   * Plays the pods through; the refusals of the kubelet, none if all is well.
   *
   * @param restartBefore before which admission the plugin is restarted, or a negative number
   */
  List<String> play(List<Bound> bound, int restartBefore) throws InterruptedException {
    List<Thread> late = new ArrayList<>();
    for (Bound pod : bound) {
      long delayMillis = random.nextInt(500);
      late.add(Thread.startVirtualThread(() -> show(pod.facts(), delayMillis)));
    }
    List<Bound> order = new ArrayList<>(bound);
    Collections.shuffle(order, random);
    LockSupport.parkNanos(Duration.ofMillis(random.nextInt(500)).toNanos());
    List<String> refusals = new ArrayList<>();
    for (int i = 0; i < order.size(); i++) {
      if (i == restartBefore) {
        restart();
      }
      KubeletPod pod = kubeletPod(order.get(i));
      kubelet.bind(pod);
      kubelet.run(pod).ifPresent(event -> refused(event, refusals));
      if (random.nextBoolean()) {
        readTable();
      }
    }
    for (Thread thread : late) {
      thread.join();
    }
    readTable();
    return refusals;
  }

  private static void refused(KubeletEvent event, List<String> refusals) {
    if (event instanceof KubeletEvent.PodFailed(KubeletPod pod, String reason, String message)) {
      refusals.add(pod.name() + " " + reason + ": " + message);
    }
  }

  private void show(PodFacts pod, long delayMillis) {
    LockSupport.parkNanos(Duration.ofMillis(delayMillis).toNanos());
    synchronized (shown) {
      shown.add(pod);
      allocator.podSeen(pod);
    }
  }

  /** A killed plugin comes back with what can be read: the pods that the API shows, the table. */
  private void restart() {
    synchronized (shown) {
      Allocator next = fresh();
      next.podsListed(shown);
      allocator = next;
    }
    readTable();
  }

  private void readTable() {
    PodTable.Listed listed = table.list(Duration.ZERO);
    assertInstanceOf(PodTable.Listed.Table.class, listed).readings().forEach(allocator::shown);
  }

  private static KubeletPod kubeletPod(Bound pod) {
    PodFacts facts = pod.facts();
    int units = (int) facts.demand().footprint();
    return new KubeletPod(
        facts.uid().text(),
        facts.name().namespace(),
        facts.name().name(),
        Instant.EPOCH,
        List.of(KubeletContainer.app(CONTAINER, RESOURCE, units)));
  }

  /** What the kubelet's own table says: units per device, by pod UID. */
  Map<String, Map<DeviceUuid, Long>> truth() {
    Map<String, Map<DeviceUuid, Long>> truth = new TreeMap<>();
    kubelet
        .table()
        .forEach(
            (uid, containers) -> {
              Map<DeviceUuid, Long> devices = new TreeMap<>();
              containers.values().stream()
                  .flatMap(Set::stream)
                  .forEach(
                      id ->
                          devices.merge(DeviceId.parse(id).orElseThrow().device(), 1L, Long::sum));
              truth.put(uid, devices);
            });
    return truth;
  }

  /** The device that the kubelet gave a pod. */
  DeviceUuid placeOf(Bound pod) {
    Map<DeviceUuid, Long> devices = truth().getOrDefault(pod.facts().uid().text(), Map.of());
    return devices.keySet().iterator().next();
  }

  /** What our books say: units per device, by pod UID. */
  Map<String, Map<DeviceUuid, Long>> books() {
    Map<String, Map<DeviceUuid, Long>> books = new TreeMap<>();
    allocator
        .view()
        .books()
        .ledger()
        .holdings()
        .forEach(
            holding -> books.put(holding.uid().map(PodUid::text).orElse("?"), holding.devices()));
    return books;
  }

  /** Ends a pod everywhere. */
  void end(Bound pod) {
    kubelet.forceDelete(pod.facts().uid().text());
    allocator.podGone(pod.facts().uid());
    kubelet.list();
    allocator.notShown(pod.facts().name(), System.nanoTime());
  }

  long free(DeviceUuid device) {
    return allocator.view().books().ledger().free(device);
  }
}
