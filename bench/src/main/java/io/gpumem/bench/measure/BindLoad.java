package io.gpumem.bench.measure;

import io.gpumem.bench.figures.Report;
import io.gpumem.bench.figures.Table;
import io.gpumem.bench.load.Caller;
import io.gpumem.bench.load.ClosedLoop;
import io.gpumem.bench.load.Exchange;
import io.gpumem.bench.process.Ports;
import io.gpumem.bench.world.ClusterPlan;
import io.gpumem.bench.world.FilledApiServer;
import io.gpumem.bench.world.Texts;
import io.gpumem.core.units.PodUid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Binds of pods that the extender's watch has shown already, each to another node. They come in
 * rounds: pods are created, bound, and taken away again.
 */
final class BindLoad {

  private static final int ROUND = 200;
  private static final int WARM_UP_ROUNDS = 6;
  private static final int ROUNDS = 6;
  private static final int[] CALLERS = {1, 8};
  private static final long UNITS = 8;
  private static final Duration SHOWN_LIMIT = Duration.ofSeconds(30);
  private static final Duration LOOK = Duration.ofMillis(20);

  private final Report report;
  private final ClusterPlan plan;
  private final FilledApiServer api;
  private final int port;
  private final Table table;
  private final List<String> nodes;
  private int created;

  BindLoad(Report report, ClusterPlan plan, FilledApiServer api, int port, Table table) {
    this.report = report;
    this.plan = plan;
    this.api = api;
    this.port = port;
    this.table = table;
    this.nodes = plan.withRoom(UNITS);
  }

  void run() throws Exception {
    for (int callers : CALLERS) {
      report.progress("bind, callers: " + callers);
      for (int i = 0; i < WARM_UP_ROUNDS; i++) {
        var _ = round(callers);
      }
      List<Exchange> answered = new ArrayList<>();
      long nanos = 0;
      for (int i = 0; i < ROUNDS; i++) {
        Round round = round(callers);
        answered.addAll(round.answered());
        nanos += round.took().toNanos();
      }
      QuestionLoad.row(
          table, plan, "bind", "one container", callers, answered, Duration.ofNanos(nanos));
    }
  }

  private record Round(List<Exchange> answered, Duration took) {}

  private Round round(int callers) throws Exception {
    List<String> pods = new ArrayList<>();
    List<byte[]> requests = new ArrayList<>();
    for (int i = 0; i < ROUND; i++) {
      String name = "new-%06d".formatted(created);
      PodUid uid = api.addWaiting(name, List.of(UNITS));
      String node = nodes.get(created % nodes.size());
      pods.add(name);
      requests.add(Caller.post("/bind", Texts.bindingArgs(name, uid, node)));
      created++;
    }
    awaitWaiting(ROUND);
    long begun = System.nanoTime();
    List<Exchange> answered =
        new ClosedLoop(port, callers)
            .run((caller, turn) -> requests.get(turn * callers + caller), ROUND / callers);
    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    answered.forEach(BindLoad::requireBound);
    pods.forEach(api::remove);
    awaitWaiting(0);
    return new Round(answered, took);
  }

  private static void requireBound(Exchange exchange) {
    if (!exchange.text().contains("\"Error\":\"\"")) {
      throw new IllegalStateException("expected a bound pod but was " + exchange.text());
    }
  }

  /** Until the extender's watch has shown what was written. */
  private void awaitWaiting(int pods) throws Exception {
    long end = System.nanoTime() + SHOWN_LIMIT.toNanos();
    while (Ports.metric(port, "gpumem_extender_waiting_pods") != pods) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("expected " + pods + " waiting pods");
      }
      Thread.sleep(LOOK);
    }
  }
}
