package io.gpumem.extender;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.wire.Keys;
import io.gpumem.extender.http.PeopleRoutes;
import io.gpumem.extender.http.SchedulerRoutes;
import io.gpumem.extender.http.VerbMetrics;
import io.gpumem.extender.verdict.Bind;
import io.gpumem.extender.verdict.Doubts;
import io.gpumem.extender.verdict.Explain;
import io.gpumem.extender.verdict.Filter;
import io.gpumem.extender.verdict.PodLookup;
import io.gpumem.extender.verdict.Prioritize;
import io.gpumem.extender.view.ClusterView;
import io.gpumem.extender.view.Unreadable;
import io.gpumem.extender.view.ViewMetrics;
import io.gpumem.platform.cluster.Cluster;
import io.gpumem.platform.cluster.Feed;
import io.gpumem.platform.cluster.NodeSelection;
import io.gpumem.platform.cluster.PodSelection;
import io.gpumem.platform.cluster.Reading;
import io.gpumem.platform.facts.KubeFacts;
import io.gpumem.platform.life.Faults;
import io.gpumem.platform.life.Part;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.platform.time.Time;
import io.gpumem.platform.web.Check;
import io.gpumem.platform.web.Health;
import io.gpumem.platform.web.OpsRoutes;
import io.gpumem.platform.web.Routes;
import io.gpumem.platform.web.WebMetrics;
import io.gpumem.platform.web.WebServer;
import io.gpumem.platform.web.WebSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The extender, wired: two watches feed the view, the verbs read it, a web server carries them. It
 * is one part of a process, so that the demonstration can run it beside others.
 *
 * <p>It answers 503 from its start until both watches have listed once.
 */
public final class Extender implements Part {

  /** The web server's drain and two feeds' closing, with something to spare. */
  static final Duration STOP_LIMIT = Duration.ofSeconds(15);

  /** Blind for so many limits, the watches are taken for stuck: a restart loses nothing. */
  private static final int LIMITS_UNTIL_RESTART = 10;

  private static final double NANOS_PER_SECOND = 1e9;

  private final ExtenderConfig config;
  private final Cluster cluster;
  private final KubeFacts facts;
  private final ClusterView view;
  private final Doubts doubts;
  private final WebServer web;
  private final List<Feed> feeds = new ArrayList<>();

  /**
   * @param cluster stays open when this part stops; its owner closes it
   */
  public Extender(
      ExtenderConfig config, Cluster cluster, Time time, Metrics metrics, Faults faults) {
    this.config = config;
    this.cluster = cluster;
    this.facts = new KubeFacts(config.keys(), new Unreadable(metrics));
    this.view = new ClusterView(time, new ViewMetrics(metrics), faults);
    this.doubts = new Doubts(view, this::read, time);
    this.web =
        new WebServer(
            WebSettings.defaults(config.listen().address()),
            routes(time, metrics),
            time,
            new WebMetrics(metrics));
    metrics.gauge(
        "gpumem_extender_blind_seconds",
        "How long a feed has been without a watch; zero while both have one.",
        () -> blindFor().toNanos() / NANOS_PER_SECOND);
  }

  private Reading<PodFacts> read(String namespace, String name, Duration deadline) {
    return cluster.readPod(namespace, name, facts::pod, deadline);
  }

  private Routes routes(Time time, Metrics metrics) {
    Keys keys = config.keys();
    var filter = new Filter(config.policy());
    var prioritize = new Prioritize(config.policy());
    var lookup = new PodLookup(this::read);
    var bind = new Bind(view, cluster::bind, lookup, filter, keys, time, config.bindTimeout());
    var verbs = new VerbMetrics(metrics);
    var alive =
        List.of(new Check("watches", this::watchesAlive), new Check("view", this::viewAlive));
    var ready = List.of(new Check("synced", this::synced), new Check("watches", this::seeing));
    return new SchedulerRoutes(view, filter, prioritize, bind, keys, verbs, time)
        .routes()
        .and(new PeopleRoutes(view, new Explain(filter), time).routes())
        .and(OpsRoutes.routes(alive, ready, metrics));
  }

  @Override
  public void start() throws Exception {
    view.start();
    synchronized (feeds) {
      feeds.add(cluster.watchPods(PodSelection.notEnded(), facts::pod, view::onPods));
      feeds.add(
          cluster.watchNodes(
              NodeSelection.labelled(config.keys().unitLabel()), facts::node, view::onNodes));
    }
    doubts.start();
    try {
      web.start();
    } catch (Exception e) {
      stopWatching();
      throw e;
    }
  }

  @Override
  public void stop() throws Exception {
    try {
      web.stop();
    } finally {
      stopWatching();
    }
  }

  private void stopWatching() throws InterruptedException {
    doubts.stop();
    feeds().forEach(Feed::close);
    view.stop();
  }

  /** The port of the started web server. */
  public int port() {
    return web.port();
  }

  /** What the extender knows. */
  public ClusterView view() {
    return view;
  }

  private List<Feed> feeds() {
    synchronized (feeds) {
      return List.copyOf(feeds);
    }
  }

  private Duration blindFor() {
    return feeds().stream().map(Feed::blindFor).max(Duration::compareTo).orElse(Duration.ZERO);
  }

  private Health synced() {
    return view.isComplete() ? Health.ok() : Health.bad("pods and nodes are not listed yet");
  }

  private Health seeing() {
    return blind(config.blindLimit());
  }

  private Health watchesAlive() {
    return blind(config.blindLimit().multipliedBy(LIMITS_UNTIL_RESTART));
  }

  private Health blind(Duration limit) {
    Duration blind = blindFor();
    return blind.compareTo(limit) <= 0
        ? Health.ok()
        : Health.bad("no watch on the API server for " + blind.toSeconds() + " s");
  }

  private Health viewAlive() {
    return view.isAlive() ? Health.ok() : Health.bad("the view's writer has ended");
  }
}
