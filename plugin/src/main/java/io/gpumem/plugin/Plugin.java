package io.gpumem.plugin;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.platform.cluster.Cluster;
import io.gpumem.platform.cluster.Feed;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.cluster.KubeCluster;
import io.gpumem.platform.cluster.NodeSelection;
import io.gpumem.platform.cluster.PodSelection;
import io.gpumem.platform.facts.KubeFacts;
import io.gpumem.platform.facts.NodeTexts;
import io.gpumem.platform.life.ExitCode;
import io.gpumem.platform.life.Invocation;
import io.gpumem.platform.life.Life;
import io.gpumem.platform.log.LogKeys;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.platform.metrics.ProcessMetrics;
import io.gpumem.platform.options.LogOptions;
import io.gpumem.platform.options.Parsed;
import io.gpumem.platform.options.Values;
import io.gpumem.platform.time.SystemTime;
import io.gpumem.platform.time.Time;
import io.gpumem.platform.web.Check;
import io.gpumem.platform.web.Health;
import io.gpumem.platform.web.OpsRoutes;
import io.gpumem.platform.web.WebMetrics;
import io.gpumem.platform.web.WebServer;
import io.gpumem.platform.web.WebSettings;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.ContainerView;
import io.gpumem.plugin.allocate.NodeState;
import io.gpumem.plugin.inventory.Fleet;
import io.gpumem.plugin.inventory.GpuWatch;
import io.gpumem.plugin.inventory.Sizes;
import io.gpumem.plugin.kubelet.Checkpoint;
import io.gpumem.plugin.kubelet.KubeletLink;
import io.gpumem.plugin.kubelet.PodResources;
import io.gpumem.plugin.kubelet.TableReader;
import io.gpumem.plugin.kubelet.UnitGuard;
import io.gpumem.plugin.kubelet.UnixSockets;
import io.gpumem.plugin.nvml.GpuSource;
import io.gpumem.plugin.nvml.NvmlGpuSource;
import io.gpumem.plugin.nvml.NvmlPlaces;
import io.gpumem.plugin.nvml.Scan;
import io.gpumem.plugin.nvml.fake.SimulatedGpus;
import io.gpumem.plugin.publish.Announcements;
import io.gpumem.plugin.publish.NodeKeys;
import io.gpumem.plugin.publish.NodePublisher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugin's wiring, from top to bottom. What starts when matters: the books are filled from the
 * API server and the kubelet's table before the kubelet is told of us, so that its first call finds
 * them (for at most five seconds: a kubelet that waits is worse than a gap in the books).
 */
final class Plugin {

  private static final Logger LOG = LoggerFactory.getLogger(Plugin.class);

  /**
   * The driver's library under us is of another version: only a new container can map the new one.
   */
  static final int DRIVER_CHANGED = 10;

  private static final Duration FILL_LIMIT = Duration.ofSeconds(5);
  private static final Duration GATHER = Duration.ofMillis(50);

  private final Invocation invocation;
  private final PluginConfig config;
  private final NodeName node;
  private final Time time;
  private final Metrics metrics = new Metrics();
  private final PluginMetrics counts = new PluginMetrics(metrics);
  private final UnixSockets sockets;
  private final Cluster cluster;
  private final KubeFacts kube;
  private final Allocator allocator;
  private final PodResources resources;
  private final TableReader table;
  private final NodeAgent agent;
  private final NodePublisher publisher;
  private final GpuWatch gpus;
  private final Gathered refresh;
  private volatile Optional<KubeletLink> link = Optional.empty();
  private volatile Optional<Feed> podFeed = Optional.empty();
  private volatile Optional<NodeState.View> announced = Optional.empty();

  private Plugin(Invocation invocation, PluginConfig config) {
    Life life = invocation.life();
    this.invocation = invocation;
    this.config = config;
    this.node = new NodeName(config.get(PluginConfig.NODE_NAME));
    SystemTime system = life.own("time", new SystemTime(invocation.faults()));
    this.time = system;
    this.sockets = life.own("sockets", new UnixSockets());
    this.cluster = life.own("cluster", KubeCluster.connect(config.cluster()));
    this.kube = new KubeFacts(config.keys(), this::unreadable);
    this.resources =
        life.own(
            "pod-resources",
            new PodResources(
                sockets,
                config.get(PluginConfig.POD_RESOURCES_SOCKET),
                config.get(PluginConfig.RESOURCE_NAME),
                time::monotonicNanos));
    this.allocator =
        new Allocator(
            node,
            Allocator.Matching.ON,
            config.get(PluginConfig.RESERVATION_WAIT),
            this::isWatching,
            resources,
            time::monotonicNanos,
            this::on);
    this.refresh = new Gathered(time, GATHER, this::refresh);
    this.table = new TableReader(resources, allocator, time::monotonicNanos, refresh::ask);
    Fleet fleet =
        new Fleet(
            config.get(PluginConfig.UNIT),
            Sizes.of(config.get(PluginConfig.DEVICE_MEMORY)),
            config.get(PluginConfig.GOOD_SCANS),
            this::isHeld,
            found -> UnitGuard.isBearable(found, hints()));
    this.agent =
        new NodeAgent(
            config.keys(), allocator, fleet, config.get(PluginConfig.DEV_ROOT), refresh::ask);
    this.publisher = new NodePublisher(cluster, node.text(), this::wanted, counts::on);
    this.gpus = new GpuWatch(source(), config.get(PluginConfig.SCAN_INTERVAL), this::scanned);
  }

  /** Runs the plugin until it is told to end; the exit code. */
  static int run(Invocation invocation) throws Exception {
    return switch (PluginConfig.OPTIONS.parse(invocation.args(), invocation.env())) {
      case Parsed.HelpAsked() -> {
        invocation.out().print(PluginConfig.OPTIONS.help("gpu-mem-plugin"));
        yield ExitCode.OK;
      }
      case Parsed.Problems(List<String> sentences) -> {
        sentences.forEach(invocation.err()::println);
        yield ExitCode.BAD_OPTIONS;
      }
      case Values values -> {
        PluginConfig config = new PluginConfig(values);
        LogOptions.apply(values);
        values.log(LOG);
        yield start(invocation, config);
      }
    };
  }

  /** Runs with this configuration and with logging as it is set up already; the exit code. */
  static int start(Invocation invocation, PluginConfig config) throws Exception {
    return new Plugin(invocation, config).run();
  }

  private int run() throws Exception {
    Life life = invocation.life();
    ProcessMetrics.addTo(metrics);
    startWeb(life);
    table.start();
    life.own("table", table);
    Feed pods =
        life.own("pods", cluster.watchPods(PodSelection.onNode(node.text()), kube::pod, this::on));
    podFeed = Optional.of(pods);
    Feed nodes =
        life.own(
            "node",
            cluster.watchNodes(
                NodeSelection.named(node.text()),
                found -> Optional.of(kube.texts(found)),
                this::onNode));
    allocator.checkpointed(
        Checkpoint.read(
            config.get(PluginConfig.DEVICE_PLUGIN_DIRECTORY),
            config.get(PluginConfig.RESOURCE_NAME)));
    fill(pods, nodes);
    gpus.start();
    life.own("gpus", gpus);
    publisher.start();
    life.own("publisher", publisher);
    life.start("first-scan", agent.firstScan());
    Optional<String> tooFine = UnitGuard.problem(allocator.inventory(), hints());
    if (tooFine.isPresent()) {
      LOG.atError().log(tooFine.get());
      return ExitCode.BAD_OPTIONS;
    }
    startLink(life);
    refresh.ask();
    return life.awaitEnd();
  }

  private void startWeb(Life life) throws Exception {
    Check serving =
        new Check(
            "kubelet",
            () -> healthOf(link.map(KubeletLink::isServing).orElse(false), "not registered"));
    // Before the link is there, nothing that a restart could mend is wrong.
    Check alive =
        new Check(
            "link", () -> healthOf(link.map(KubeletLink::isAlive).orElse(true), "link ended"));
    metrics.gauge(
        "gpumem_nvml_blocked_seconds",
        "For how long NVML has not answered; 0 while it does.",
        () -> gpus.blockedFor().map(Duration::toSeconds).orElse(0L));
    WebServer web =
        new WebServer(
            WebSettings.forProbes(config.get(PluginConfig.LISTEN).address()),
            OpsRoutes.routes(List.of(alive), List.of(serving), metrics),
            time,
            new WebMetrics(metrics));
    life.start("web", web);
    LOG.atInfo().addKeyValue("port", web.port()).log("listening");
  }

  private static Health healthOf(boolean good, String otherwise) {
    return good ? Health.ok() : Health.bad(otherwise);
  }

  private void startLink(Life life) {
    KubeletLink started =
        new KubeletLink(
            new KubeletLink.Settings(
                config.get(PluginConfig.DEVICE_PLUGIN_DIRECTORY),
                config.get(PluginConfig.RESOURCE_NAME),
                config.get(PluginConfig.POLL_INTERVAL),
                config.get(PluginConfig.INOTIFY)),
            sockets,
            allocator,
            this::view,
            KubeletLink.list(allocator.inventory(), allocator.heldIds(), hints()),
            this::on);
    link = Optional.of(started);
    started.start();
    life.own("link", started);
  }

  /** Waits for the first lists of pods and nodes and the first table, for a limited time. */
  private void fill(Feed pods, Feed nodes) throws InterruptedException {
    long end = time.monotonicNanos() + FILL_LIMIT.toNanos();
    boolean tableRead = table.awaitFirst(FILL_LIMIT);
    boolean podsListed = pods.awaitSynced(until(end));
    boolean nodeListed = nodes.awaitSynced(until(end));
    if (!tableRead || !podsListed || !nodeListed) {
      LOG.atWarn()
          .addKeyValue("table", tableRead)
          .addKeyValue("pods", podsListed)
          .addKeyValue("nodes", nodeListed)
          .log("starting before all is known");
    }
  }

  private Duration until(long endNanos) {
    return Duration.ofNanos(Math.max(0, endNanos - time.monotonicNanos()));
  }

  private GpuSource source() {
    Optional<Path> simulated = config.get(PluginConfig.SIMULATED_MACHINE);
    if (simulated.isPresent()) {
      return new SimulatedGpus(simulated.get(), why -> LOG.atWarn().log(why));
    }
    NvmlPlaces host = NvmlPlaces.ofHost();
    return new NvmlGpuSource(
        new NvmlPlaces(
            config.get(PluginConfig.NVML_LIBRARY),
            config.get(PluginConfig.DRIVER_ROOT),
            host.sysfs(),
            host.procfs()));
  }

  private void scanned(Scan scan) {
    switch (scan) {
      case Scan.Seen seen -> {
        counts.scanned("seen");
        agent.seen(seen);
        counts.leftOut(agent.leftOut());
      }
      case Scan.DriverNotLoaded(String why) -> {
        counts.scanned("driver_not_loaded");
        LOG.atWarn().addKeyValue("why", why).log("the NVIDIA driver is not there");
      }
      case Scan.VersionMismatch(String why) -> {
        counts.scanned("version_mismatch");
        LOG.atError().addKeyValue("why", why).log("the NVIDIA driver changed under this process");
        invocation.life().end(DRIVER_CHANGED, why);
      }
      case Scan.Failed(int code, String text) -> {
        counts.scanned("failed");
        LOG.atWarn().addKeyValue("code", code).addKeyValue("why", text).log("NVML failed");
      }
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

  private void on(KubeletLink.Event event) {
    counts.on(event);
    switch (event) {
      case KUBELET_SOCKET_CHANGED, OWN_SOCKET_GONE, STREAM_ENDED -> {
        allocator.tableMayBeLost();
        table.nudgeForAll();
      }
      case REGISTERED -> table.nudgeForAll();
      case REGISTRATION_FAILED -> {}
    }
  }

  private void on(FeedEvent<PodFacts> event) {
    agent.pods(event);
    table.nudge();
  }

  private void onNode(FeedEvent<NodeTexts> event) {
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
          publisher.found(NodeKeys.found(config.keys(), texts.annotations(), texts.labels()));
        });
  }

  /** Brings the kubelet's list, the metrics, the events and what is published up to the books. */
  private void refresh() {
    NodeState.View view = allocator.view();
    link.ifPresent(
        open -> open.update(KubeletLink.list(allocator.inventory(), allocator.heldIds(), hints())));
    counts.books(view);
    announced.ifPresent(before -> Announcements.between(before, view).forEach(cluster::event));
    announced = Optional.of(view);
    publisher.nudge();
  }

  private Optional<NodeKeys> wanted() {
    return allocator.inventory().devices().isEmpty() && link.isEmpty()
        ? Optional.empty()
        : Optional.of(NodeKeys.wanted(config.keys(), allocator.view()));
  }

  private ContainerView view(Map<DeviceUuid, Long> devices) {
    Set<ContainerView.Strategy> strategies = EnumSet.copyOf(config.get(PluginConfig.STRATEGY));
    return ContainerView.of(
        devices, config.get(PluginConfig.UNIT), strategies, agent.deviceNodes());
  }

  private boolean isHeld(DeviceUuid device) {
    return allocator.heldIds().stream().map(DeviceId::device).anyMatch(device::equals);
  }

  private boolean isWatching() {
    return podFeed.map(feed -> feed.synced() && feed.blindFor().isZero()).orElse(false);
  }

  private boolean hints() {
    return config.get(PluginConfig.NUMA_HINTS);
  }

  private void unreadable(String what, String why) {
    counts.unreadable();
    LOG.atWarn().addKeyValue("what", what).addKeyValue("why", why).log("unreadable, ignored");
  }
}
