package io.gpumem.plugin;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.platform.cluster.Cluster;
import io.gpumem.platform.cluster.Feed;
import io.gpumem.platform.cluster.KubeCluster;
import io.gpumem.platform.cluster.NodeSelection;
import io.gpumem.platform.cluster.PodSelection;
import io.gpumem.platform.life.ExitCode;
import io.gpumem.platform.life.Invocation;
import io.gpumem.platform.life.Life;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.platform.metrics.ProcessMetrics;
import io.gpumem.platform.options.LogOptions;
import io.gpumem.platform.options.Parsed;
import io.gpumem.platform.options.Values;
import io.gpumem.platform.time.SystemTime;
import io.gpumem.platform.time.ThreadLoop;
import io.gpumem.platform.time.Time;
import io.gpumem.platform.web.Check;
import io.gpumem.platform.web.Health;
import io.gpumem.platform.web.OpsRoutes;
import io.gpumem.platform.web.WebMetrics;
import io.gpumem.platform.web.WebServer;
import io.gpumem.platform.web.WebSettings;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.ContainerView;
import io.gpumem.plugin.inventory.GpuWatch;
import io.gpumem.plugin.kubelet.Checkpoint;
import io.gpumem.plugin.kubelet.KubeletLink;
import io.gpumem.plugin.kubelet.PodResources;
import io.gpumem.plugin.kubelet.UnitGuard;
import io.gpumem.plugin.kubelet.UnixSockets;
import io.gpumem.plugin.nvml.GpuSource;
import io.gpumem.plugin.nvml.NvmlGpuSource;
import io.gpumem.plugin.nvml.NvmlPlaces;
import io.gpumem.plugin.nvml.Scan;
import io.gpumem.plugin.nvml.fake.SimulatedGpus;
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

  private final Invocation invocation;
  private final PluginConfig config;
  private final NodeName node;
  private final Time time;
  private final Metrics metrics = new Metrics();
  private final UnixSockets sockets;
  private final Cluster cluster;
  private final PluginCore core;
  private final GpuWatch gpus;
  private volatile Optional<KubeletLink> link = Optional.empty();
  private volatile Optional<Feed> podFeed = Optional.empty();

  private Plugin(Invocation invocation, PluginConfig config) {
    Life life = invocation.life();
    this.invocation = invocation;
    this.config = config;
    this.node = new NodeName(config.get(PluginConfig.NODE_NAME));
    SystemTime system = life.own("time", new SystemTime(invocation.faults()));
    this.time = system;
    this.sockets = life.own("sockets", new UnixSockets());
    this.cluster = life.own("cluster", KubeCluster.connect(config.cluster()));
    PodResources resources =
        life.own(
            "pod-resources",
            new PodResources(
                sockets,
                config.get(PluginConfig.POD_RESOURCES_SOCKET),
                config.get(PluginConfig.RESOURCE_NAME),
                time::monotonicNanos));
    this.core =
        life.own(
            "core",
            new PluginCore(
                config.core(node),
                cluster,
                resources,
                new PluginCore.Clockwork(time, ThreadLoop::new, Allocator.Waiting.ON_THREAD),
                this::isWatching,
                metrics));
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
    core.startTable();
    Feed pods =
        life.own(
            "pods",
            cluster.watchPods(PodSelection.onNode(node.text()), core.facts()::pod, core::pods));
    podFeed = Optional.of(pods);
    Feed nodes =
        life.own(
            "node",
            cluster.watchNodes(
                NodeSelection.named(node.text()),
                found -> Optional.of(core.facts().texts(found)),
                core::node));
    core.allocator()
        .checkpointed(
            Checkpoint.read(
                config.get(PluginConfig.DEVICE_PLUGIN_DIRECTORY),
                config.get(PluginConfig.RESOURCE_NAME)));
    fill(pods, nodes);
    gpus.start();
    life.own("gpus", gpus);
    core.startPublisher();
    life.start("first-scan", core.firstScan());
    Optional<String> tooFine =
        UnitGuard.problem(core.allocator().inventory(), config.get(PluginConfig.NUMA_HINTS));
    if (tooFine.isPresent()) {
      LOG.atError().log(tooFine.get());
      return ExitCode.BAD_OPTIONS;
    }
    startLink(life);
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
            core.allocator(),
            this::view,
            core::link);
    core.tell(started::update);
    link = Optional.of(started);
    started.start();
    life.own("link", started);
    core.linked(started::update);
  }

  /** Waits for the first lists of pods and nodes and the first table, for a limited time. */
  private void fill(Feed pods, Feed nodes) throws InterruptedException {
    long end = time.monotonicNanos() + FILL_LIMIT.toNanos();
    boolean tableRead = core.awaitTable(FILL_LIMIT);
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
        core.counts().scanned("seen");
        core.seen(seen);
      }
      case Scan.DriverNotLoaded(String why) -> {
        core.counts().scanned("driver_not_loaded");
        LOG.atWarn().addKeyValue("why", why).log("the NVIDIA driver is not there");
      }
      case Scan.VersionMismatch(String why) -> {
        core.counts().scanned("version_mismatch");
        LOG.atError().addKeyValue("why", why).log("the NVIDIA driver changed under this process");
        invocation.life().end(DRIVER_CHANGED, why);
      }
      case Scan.Failed(int code, String text) -> {
        core.counts().scanned("failed");
        LOG.atWarn().addKeyValue("code", code).addKeyValue("why", text).log("NVML failed");
      }
    }
  }

  private ContainerView view(Map<DeviceUuid, Long> devices) {
    Set<ContainerView.Strategy> strategies = EnumSet.copyOf(config.get(PluginConfig.STRATEGY));
    return ContainerView.of(devices, config.get(PluginConfig.UNIT), strategies, core.deviceNodes());
  }

  private boolean isWatching() {
    return podFeed.map(feed -> feed.synced() && feed.blindFor().isZero()).orElse(false);
  }
}
