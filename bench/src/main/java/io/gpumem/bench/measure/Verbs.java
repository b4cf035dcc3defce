package io.gpumem.bench.measure;

import io.gpumem.bench.figures.Report;
import io.gpumem.bench.figures.Table;
import io.gpumem.bench.load.Caller;
import io.gpumem.bench.process.Footprint;
import io.gpumem.bench.process.Ports;
import io.gpumem.bench.process.Programs;
import io.gpumem.bench.process.Running;
import io.gpumem.bench.world.ClusterPlan;
import io.gpumem.bench.world.FilledApiServer;
import io.gpumem.bench.world.Texts;
import io.gpumem.core.units.PodUid;
import java.time.Duration;
import java.util.List;

/** The scheduler's three calls on clusters of a thousand and of five thousand nodes. */
public final class Verbs implements Measurement {

  private static final int[] CLUSTERS = {1_000, 5_000};
  private static final Duration SYNC_LIMIT = Duration.ofMinutes(3);

  private final Programs programs;

  public Verbs(Programs programs) {
    this.programs = programs;
  }

  @Override
  public void run(Report report) throws Exception {
    Table views =
        new Table(
            "The extender's view",
            """
            Pods of 5 KB and nodes of 10 KB of JSON, listed from a stand-in API server that shares the cores. \
            Time from exec to the first right answer of filter over all nodes; memory after the list, and after all \
            the load below.\
            """,
            "nodes",
            "pods",
            "first right answer s",
            "RSS after the list MiB",
            "RSS after the load MiB",
            "PSS after the load MiB");
    Table verbs =
        new Table(
            "The scheduler's calls",
            """
            All node names as candidates. From the request's last byte in the kernel to the answer's first byte, on \
            loopback; "whole" is from first byte sent to last byte read. Warm-up %d s for each row of filter and prioritize, \
            then %d s; binds as many as stand there. The \
            callers, and for bind the stand-in API server, share the cores with the extender.\
            """
                .formatted(QuestionLoad.WARM_UP.toSeconds(), QuestionLoad.TIME.toSeconds()),
            "nodes",
            "pods",
            "call",
            "pod with",
            "callers",
            "p50 ms",
            "p99 ms",
            "whole p50 ms",
            "whole p99 ms",
            "requests",
            "a second");
    for (int nodes : CLUSTERS) {
      measure(report, ClusterPlan.of(nodes), views, verbs);
    }
    report.add(views);
    report.add(verbs);
  }

  private void measure(Report report, ClusterPlan plan, Table views, Table verbs) throws Exception {
    report.progress("filling the API server for " + plan.nodes().size() + " nodes");
    try (FilledApiServer api = FilledApiServer.holding(plan)) {
      System.gc();
      int port = Ports.free();
      List<String> flags = List.of("--api-url=" + api.url(), "--listen=127.0.0.1:" + port);
      report.progress("starting the extender");
      try (Running extender = programs.extender(flags)) {
        Duration right = firstRightAnswer(extender, port, plan);
        Footprint listed = extender.footprint();
        report.progress("the extender answers after " + right.toMillis() + " ms");
        new QuestionLoad(report, plan, port, verbs).run();
        new BindLoad(report, plan, api, port, verbs).run();
        extender.requireAlive();
        Footprint loaded = extender.footprint();
        views.row(
            count(plan.nodes().size()),
            count(plan.allPods().size()),
            "%.1f".formatted(right.toMillis() / 1e3),
            listed.rssMib(),
            loaded.rssMib(),
            loaded.pssMib());
      }
    }
  }

  private static Duration firstRightAnswer(Running extender, int port, ClusterPlan plan)
      throws Exception {
    List<Long> units = List.of(Start.PIECE);
    String args = Texts.extenderArgs(new PodUid("uid-first"), "first", units, plan.nodes());
    byte[] request = Caller.post("/filter", args);
    Duration right = Ports.awaitOk(extender, port, request, SYNC_LIMIT);
    try (Caller caller = Caller.to(port)) {
      Start.requireRight(caller.call(request), plan);
    }
    return right;
  }

  static String count(int number) {
    return "%,d".formatted(number);
  }
}
