package io.gpumem.plugin;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.wire.AllocationsCodec;
import io.gpumem.core.wire.CordonList;
import io.gpumem.core.wire.InventoryCodec;
import io.gpumem.core.wire.Keys;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.facts.NodeTexts;
import io.gpumem.platform.life.Part;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.inventory.DeviceNodes;
import io.gpumem.plugin.inventory.Fleet;
import io.gpumem.plugin.nvml.LeftOut;
import io.gpumem.plugin.nvml.Scan;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries what was seen into the books: scans of the GPUs, pods of the node, the node's own
 * annotations. It decides nothing but which texts are read. Each method is called by one thread
 * (the feed's, the watch's); they may come at the same time.
 */
final class NodeAgent {

  private static final Logger LOG = LoggerFactory.getLogger(NodeAgent.class);

  private final Keys keys;
  private final Allocator allocator;
  private final Fleet fleet;
  private final Path devRoot;
  private final Runnable changed;
  private volatile Map<DeviceUuid, List<String>> deviceNodes = Map.of();
  private volatile Optional<String> cordonText = Optional.empty();
  private final AtomicBoolean nodeSeen = new AtomicBoolean();
  private final AtomicReference<Optional<Inventory>> remembered =
      new AtomicReference<>(Optional.empty());
  private final CountDownLatch firstScan = new CountDownLatch(1);
  private Set<LeftOut> toldOf = Set.of();

  /**
   * @param changed told after each change of the books
   */
  NodeAgent(Keys keys, Allocator allocator, Fleet fleet, Path devRoot, Runnable changed) {
    this.keys = keys;
    this.allocator = allocator;
    this.fleet = fleet;
    this.devRoot = devRoot;
    this.changed = changed;
  }

  /** What an earlier run published: what the node says before this run writes to it. */
  private void published(NodeTexts texts) {
    Optional<String> allocations = Optional.ofNullable(texts.annotations().get(keys.allocations()));
    AllocationsCodec.decode(allocations)
        .understood()
        .ifPresent((Allocations before) -> allocator.published(before));
    Optional<String> devices = Optional.ofNullable(texts.annotations().get(keys.devices()));
    remembered.set(InventoryCodec.decode(devices).understood());
  }

  /** A scan that saw the GPUs. */
  void seen(Scan.Seen scan) {
    remembered.getAndSet(Optional.empty()).ifPresent(fleet::remember);
    Inventory inventory = fleet.next(scan);
    deviceNodes = DeviceNodes.of(scan, devRoot);
    Set<LeftOut> leftOut = new HashSet<>(fleet.leftOut());
    for (LeftOut each : fleet.leftOut()) {
      if (!toldOf.contains(each)) {
        LOG.atWarn()
            .addKeyValue("what", each.what())
            .addKeyValue("why", each.why())
            .log("left out");
      }
    }
    toldOf = leftOut;
    allocator.inventory(inventory);
    readCordon();
    firstScan.countDown();
    changed.run();
  }

  /** How much of the last scan is not sold. For the thread that scans. */
  int leftOut() {
    return toldOf.size();
  }

  /** A wait for the first scan that saw the GPUs, for as long as the process is wanted. */
  Part firstScan() {
    return new Part() {
      @Override
      public void start() throws InterruptedException {
        firstScan.await();
      }

      @Override
      public void stop() {}
    };
  }

  /** The node as the watch shows it. */
  void node(NodeTexts texts) {
    if (!nodeSeen.getAndSet(true)) {
      published(texts);
    }
    cordonText = Optional.ofNullable(texts.annotations().get(keys.cordon()));
    readCordon();
    changed.run();
  }

  private void readCordon() {
    CordonList cordon = CordonList.parse(cordonText, allocator.inventory());
    allocator.cordoned(cordon.devices());
  }

  /** The node's pods as the watch shows them. */
  void pods(FeedEvent<PodFacts> event) {
    switch (event) {
      case FeedEvent.Listed<PodFacts>(List<PodFacts> all, List<PodFacts> gone) ->
          allocator.podsListed(all);
      case FeedEvent.Appeared<PodFacts>(PodFacts now) -> allocator.podSeen(now);
      case FeedEvent.Changed<PodFacts>(PodFacts before, PodFacts now) -> {
        if (!before.uid().equals(now.uid())) {
          allocator.podGone(before.uid());
        }
        allocator.podSeen(now);
      }
      case FeedEvent.Gone<PodFacts>(PodFacts last) -> allocator.podGone(last.uid());
    }
    changed.run();
  }

  /** The nodes under /dev of each device. */
  Map<DeviceUuid, List<String>> deviceNodes() {
    return deviceNodes;
  }
}
