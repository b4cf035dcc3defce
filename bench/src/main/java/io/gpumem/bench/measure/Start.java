package io.gpumem.bench.measure;

import io.gpumem.bench.figures.Report;
import io.gpumem.bench.figures.Samples;
import io.gpumem.bench.figures.Table;
import io.gpumem.bench.load.Caller;
import io.gpumem.bench.load.Exchange;
import io.gpumem.bench.process.Footprint;
import io.gpumem.bench.process.Ports;
import io.gpumem.bench.process.Programs;
import io.gpumem.bench.process.Running;
import io.gpumem.bench.world.ClusterPlan;
import io.gpumem.bench.world.FilledApiServer;
import io.gpumem.bench.world.PlayedNode;
import io.gpumem.bench.world.Texts;
import io.gpumem.core.units.PodUid;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** From exec to ready, and the memory of a process that has nothing to do. */
public final class Start implements Measurement {

  private static final int RUNS = 7;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** The memory is read when what only the start needed is over. */
  private static final Duration REST = Duration.ofSeconds(2);

  private static final int NODES = 10;
  static final long PIECE = 100;
  private static final PlayedNode.Cards H200S = new PlayedNode.Cards(8, 139);

  private final Programs programs;
  private final Path folder;

  /**
   * @param folder for the played node's files, with a short path
   */
  public Start(Programs programs, Path folder) {
    this.programs = programs;
    this.folder = folder;
  }

  @Override
  public void run(Report report) throws Exception {
    Table table =
        new Table(
            "Start and memory at rest",
            "From exec, median (worst) of %d starts one after the other, files in the page cache. Memory %d s later."
                .formatted(RUNS, REST.toSeconds()),
            "process",
            "until",
            "ms",
            "RSS MiB",
            "PSS MiB");
    plugin(report, table);
    extender(report, table);
    report.add(table);
  }

  private void plugin(Report report, Table table) throws Exception {
    List<Duration> listed = new ArrayList<>();
    List<Footprint> memory = new ArrayList<>();
    for (int i = 0; i < RUNS; i++) {
      report.progress("start of the plugin, run " + (i + 1) + " of " + RUNS);
      int port = Ports.free();
      try (PlayedNode node = new PlayedNode(folder.resolve("s" + i), H200S);
          Running plugin = programs.plugin(node.flags(port))) {
        node.awaitServed();
        listed.add(plugin.age());
        plugin.requireAlive();
        Thread.sleep(REST);
        memory.add(plugin.footprint());
      }
    }
    row(table, "plugin", "the kubelet has the list of 1,112 IDs", listed, memory);
  }

  private void extender(Report report, Table table) throws Exception {
    ClusterPlan plan = ClusterPlan.of(NODES);
    List<Duration> ready = new ArrayList<>();
    List<Duration> right = new ArrayList<>();
    List<Footprint> memory = new ArrayList<>();
    byte[] filter =
        Caller.post(
            "/filter",
            Texts.extenderArgs(new PodUid("uid-new"), "new", List.of(PIECE), plan.nodes()));
    try (FilledApiServer api = FilledApiServer.holding(plan)) {
      for (int i = 0; i < RUNS; i++) {
        report.progress("start of the extender, run " + (i + 1) + " of " + RUNS);
        int port = Ports.free();
        List<String> flags = List.of("--api-url=" + api.url(), "--listen=127.0.0.1:" + port);
        try (Running extender = programs.extender(flags)) {
          ready.add(Ports.awaitOk(extender, port, Caller.get("/readyz"), LIMIT));
          try (Caller caller = Caller.to(port)) {
            Exchange first = caller.call(filter);
            right.add(extender.age());
            requireRight(first, plan);
          }
          Thread.sleep(REST);
          memory.add(extender.footprint());
        }
      }
    }
    String cluster = ", %d nodes and %d pods".formatted(NODES, NODES * ClusterPlan.PODS_PER_NODE);
    row(table, "extender", "ready" + cluster, ready, memory);
    row(table, "extender", "first right answer of filter" + cluster, right, memory);
  }

  static void requireRight(Exchange answer, ClusterPlan plan) {
    List<String> passed = Texts.passed(answer.text());
    List<String> expected = plan.withRoom(PIECE);
    if (answer.status() != 200 || !passed.equals(expected)) {
      throw new IllegalStateException(
          "expected %d nodes to pass but was %d: %s"
              .formatted(expected.size(), passed.size(), answer.text()));
    }
  }

  private static void row(
      Table table, String process, String until, List<Duration> times, List<Footprint> memory) {
    Samples samples = Samples.of(times);
    table.row(
        process,
        until,
        samples.wholeMillis(50) + " (" + samples.wholeMillis(100) + ")",
        memory.getLast().rssMib(),
        memory.getLast().pssMib());
  }
}
