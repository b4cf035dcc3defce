package io.gpumem.bench.measure;

import io.gpumem.bench.figures.Report;
import io.gpumem.bench.figures.Samples;
import io.gpumem.bench.figures.Table;
import io.gpumem.bench.load.Caller;
import io.gpumem.bench.load.ClosedLoop;
import io.gpumem.bench.load.Exchange;
import io.gpumem.bench.world.ClusterPlan;
import io.gpumem.bench.world.Texts;
import io.gpumem.core.units.PodUid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Filter and prioritize, for pods that most, some and few of the nodes can take. */
final class QuestionLoad {

  static final Duration WARM_UP = Duration.ofSeconds(8);
  static final Duration TIME = Duration.ofSeconds(8);
  private static final int[] CALLERS = {1, 8};

  private final Report report;
  private final ClusterPlan plan;
  private final int port;
  private final Table table;

  QuestionLoad(Report report, ClusterPlan plan, int port, Table table) {
    this.report = report;
    this.plan = plan;
    this.port = port;
    this.table = table;
  }

  private record Kind(String name, List<List<Long>> pods) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("one container", List.of(List.of(8L), List.of(100L), List.of(139L))),
          new Kind("two", List.of(List.of(8L, 8L), List.of(100L, 8L), List.of(139L, 24L))));

  void run() throws Exception {
    for (String verb : List.of("filter", "prioritize")) {
      for (Kind kind : KINDS) {
        List<byte[]> requests = requests(verb, kind);
        for (int callers : CALLERS) {
          measure(verb, kind, requests, callers);
        }
      }
    }
  }

  private List<byte[]> requests(String verb, Kind kind) {
    List<byte[]> requests = new ArrayList<>();
    for (List<Long> units : kind.pods()) {
      String name = "asks-" + units.getFirst();
      PodUid uid = new PodUid("uid-" + name);
      requests.add(Caller.post("/" + verb, Texts.extenderArgs(uid, name, units, plan.nodes())));
    }
    return requests;
  }

  private void measure(String verb, Kind kind, List<byte[]> requests, int callers)
      throws Exception {
    report.progress(verb + ", pods of " + kind.name() + ", callers: " + callers);
    ClosedLoop loop = new ClosedLoop(port, callers);
    ClosedLoop.Requests next = (caller, turn) -> requests.get((caller + turn) % requests.size());
    var _ = loop.run(next, WARM_UP);
    row(table, plan, verb, kind.name(), callers, loop.run(next, TIME), TIME);
  }

  static void row(
      Table table,
      ClusterPlan plan,
      String verb,
      String kind,
      int callers,
      List<Exchange> answered,
      Duration time) {
    Samples first = Samples.of(answered.stream().map(Exchange::firstByte).toList());
    Samples whole = Samples.of(answered.stream().map(Exchange::whole).toList());
    table.row(
        Verbs.count(plan.nodes().size()),
        Verbs.count(plan.allPods().size()),
        verb,
        kind,
        Integer.toString(callers),
        first.millis(50),
        first.millis(99),
        whole.millis(50),
        whole.millis(99),
        Integer.toString(first.count()),
        "%.0f".formatted(first.count() / (time.toNanos() / 1e9)));
  }
}
