package io.gpumem.plugin;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.wire.Keys;
import io.gpumem.platform.cluster.Cluster;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.facts.KubeFacts;
import io.gpumem.platform.facts.NodeTexts;
import io.gpumem.platform.life.Part;
import io.gpumem.platform.log.LogKeys;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.platform.time.Loop;
import io.gpumem.platform.time.Time;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.NodeState;
import io.gpumem.plugin.inventory.Fleet;
import io.gpumem.plugin.inventory.Sizes;
import io.gpumem.plugin.kubelet.KubeletLink;
import io.gpumem.plugin.kubelet.ListTaker;
import io.gpumem.plugin.kubelet.PodTable;
import io.gpumem.plugin.kubelet.TableReader;
import io.gpumem.plugin.kubelet.UnitGuard;
import io.gpumem.plugin.nvml.Scan;
import io.gpumem.plugin.publish.Announcements;
import io.gpumem.plugin.publish.NodeKeys;
import io.gpumem.plugin.publish.NodePublisher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugin without its edges: what is heard of GPUs, pods, the node and the kubelet becomes the
 * books, and the books become what the kubelet and the node are told. Sockets, NVML, threads and
 * the clock are handed in, so that a simulation runs this very code. Safe for any thread.
 */
public final class PluginCore implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PluginCore.class);

  private static final Duration GATHER = Duration.ofMillis(50);

  private final Settings settings;
  private final Cluster cluster;
  private final KubeFacts kube;
  private final PluginMetrics counts;
  private final Allocator allocator;
  private final TableReader table;
  private final NodeAgent agent;
  private final NodePublisher publisher;
  private final Gathered refresh;
  private volatile Optional<ListTaker> kubelet = Optional.empty();
  private volatile Optional<NodeState.View> announced = Optional.empty();

  /**
   * What distinguishes one node's plugin from another's.
   *
   * @param reservationWait how long a preferred call waits for the pod's reservation to show
   * @param goodScans after how many good scans in a row a bad device is good again
   * @param numaHints whether the kubelet is told each device's NUMA node
   * @param devRoot where the host's {@code /dev} is seen
   */
  public record Settings(
      NodeName node,
      Keys keys,
      Memory unit,
      Sizes sizes,
      Duration reservationWait,
      int goodScans,
      boolean numaHints,
      Path devRoot) {}

  /**
   * What time is made of here.
   *
   * @param waiting how a preferred call waits for the books to change
   */
  public record Clockwork(Time time, Loop.Loops loops, Allocator.Waiting waiting) {}

  /**
   * @param watching whether the watch of the node's pods is open
   */
  public PluginCore(
      Settings settings,
      Cluster cluster,
      PodTable resources,
      Clockwork clockwork,
      BooleanSupplier watching,
      Metrics metrics) {
    Time time = clockwork.time();
    this.settings = settings;
    this.cluster = cluster;
    this.counts = new PluginMetrics(metrics);
    this.kube = new KubeFacts(settings.keys(), this::unreadable);
    this.allocator =
        new Allocator(
            settings.node(),
            Allocator.Matching.ON,
            settings.reservationWait(),
            watching,
            resources,
            time::monotonicNanos,
            clockwork.waiting(),
            this::on);
    this.refresh = new Gathered(time, GATHER, this::refresh);
    this.table =
        new TableReader(
            resources, allocator, time::monotonicNanos, clockwork.loops(), refresh::ask);
    Fleet fleet =
        new Fleet(
            settings.unit(),
            settings.sizes(),
            settings.goodScans(),
            this::isHeld,
            found -> UnitGuard.isBearable(found, settings.numaHints()));
    this.agent = new NodeAgent(settings.keys(), allocator, fleet, settings.devRoot(), refresh::ask);
    this.publisher =
        new NodePublisher(
            cluster, settings.node().text(), clockwork.loops(), this::wanted, counts::on);
  }

  /** Begins to read the kubelet's table. */
  public void startTable() {
    table.start();
  }

  /** Waits for the first whole table; false when it did not come in time. */
  public boolean awaitTable(Duration limit) throws InterruptedException {
    return table.awaitFirst(limit);
  }

  /** Begins to publish. */
  public void startPublisher() {
    publisher.start();
  }

  /** Starts when a scan has seen the GPUs. */
  Part firstScan() {
    return agent.firstScan();
  }

  /** From now on the kubelet is told each new list. */
  public void linked(ListTaker lists) {
    kubelet = Optional.of(lists);
    refresh.ask();
  }

  /** Tells the list as the books are now. */
  public void tell(ListTaker lists) {
    lists.take(KubeletLink.list(allocator.inventory(), allocator.heldIds(), settings.numaHints()));
  }

  /** What answers the kubelet's calls. */
  public Allocator allocator() {
    return allocator;
  }

  /** How this plugin reads objects of the API server. */
  public KubeFacts facts() {
    return kube;
  }

  PluginMetrics counts() {
    return counts;
  }

  Map<DeviceUuid, List<String>> deviceNodes() {
    return agent.deviceNodes();
  }

  /** A scan that saw the GPUs. */
  public void seen(Scan.Seen scan) {
    agent.seen(scan);
    counts.leftOut(agent.leftOut());
  }

  /** The node's pods as the watch shows them. */
  public void pods(FeedEvent<PodFacts> event) {
    agent.pods(event);
    table.nudge();
  }

  /** The node as the watch shows it. */
  public void node(FeedEvent<NodeTexts> event) {
    Optional<NodeTexts> now =
        switch (event) {
          case FeedEvent.Listed<NodeTexts>(List<NodeTexts> all, List<NodeTexts> gone) ->
              all.stream().findFirst();
          case FeedEvent.Appeared<NodeTexts>(NodeTexts found) -> Optional.of(found);
          case FeedEvent.Changed<NodeTexts>(NodeTexts old, NodeTexts found) -> Optional.of(found);
          case FeedEvent.Gone<NodeTexts> gone -> Optional.empty();
        };
    now.ifPresent(
        texts -> {
          agent.node(texts);
          publisher.found(NodeKeys.found(settings.keys(), texts.annotations(), texts.labels()));
        });
  }

  /** What happened to the link with the kubelet. */
  public void link(KubeletLink.Event event) {
    counts.on(event);
    switch (event) {
      // The first registration too: the kubelet may have been restarted since its table was read.
      case KUBELET_SOCKET_CHANGED, OWN_SOCKET_GONE, STREAM_ENDED, REGISTERED -> {
        allocator.tableMayBeLost();
        table.nudgeForAll();
      }
      case REGISTRATION_FAILED -> {}
    }
  }

  private void on(Allocator.Event event) {
    counts.on(event);
    switch (event) {
      case Allocator.Event.Preferred preferred -> table.callBegan();
      case Allocator.Event.Granted(var devices) -> {
        LOG.atInfo().addKeyValue(LogKeys.DEVICE, devices).log("allocated");
        table.callEnded();
        refresh.ask();
      }
      case Allocator.Event.Refused(String why) -> {
        LOG.atWarn().addKeyValue("why", why).log("refused an allocation");
        table.callEnded();
      }
      case Allocator.Event.SuspectAccepted(var holder, String why) ->
          LOG.atInfo()
              .addKeyValue(LogKeys.POD, holder)
              .addKeyValue("why", why)
              .log("units changed hands");
    }
  }

  /** Brings the kubelet's list, the metrics, the events and what is published up to the books. */
  private void refresh() {
    NodeState.View view = allocator.view();
    kubelet.ifPresent(this::tell);
    counts.books(view);
    announced.ifPresent(before -> Announcements.between(before, view).forEach(cluster::event));
    announced = Optional.of(view);
    publisher.nudge();
  }

  private Optional<NodeKeys> wanted() {
    return allocator.inventory().devices().isEmpty() && kubelet.isEmpty()
        ? Optional.empty()
        : Optional.of(NodeKeys.wanted(settings.keys(), allocator.view()));
  }

  private boolean isHeld(DeviceUuid device) {
    return allocator.heldIds().stream().map(DeviceId::device).anyMatch(device::equals);
  }

  private void unreadable(String what, String why) {
    counts.unreadable();
    LOG.atWarn().addKeyValue("what", what).addKeyValue("why", why).log("unreadable, ignored");
  }

  /** Ends reading and publishing. */
  @Override
  public void close() {
    publisher.close();
    table.close();
  }
}
