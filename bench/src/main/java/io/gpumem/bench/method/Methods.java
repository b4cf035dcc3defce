package io.gpumem.bench.method;

import io.gpumem.bench.figures.Report;
import io.gpumem.bench.figures.Table;
import io.gpumem.bench.measure.Measurement;
import java.util.Collection;
import java.util.stream.Collectors;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs every benchmark of this package in a JVM with the extender's flags. */
public final class Methods implements Measurement {

  private static final int ROUNDS = 4;
  private static final TimeValue ROUND = TimeValue.seconds(1);

  @Override
  public void run(Report report) throws Exception {
    report.progress("single methods, by JMH");
    Options options =
        new OptionsBuilder()
            .include(Methods.class.getPackageName() + "\\..*")
            .forks(1)
            .warmupIterations(ROUNDS)
            .warmupTime(ROUND)
            .measurementIterations(ROUNDS)
            .measurementTime(ROUND)
            .verbosity(VerboseMode.SILENT)
            .jvmArgs(
                "-XX:+UseSerialGC",
                "-XX:+UseCompactObjectHeaders",
                "-XX:TieredStopAtLevel=1",
                "-Xmx512m")
            .build();
    Table table =
        new Table(
            "Single methods",
            "JMH, one fork, %d warm-up and %d measured rounds of a second, the extender's JVM flags."
                .formatted(ROUNDS, ROUNDS),
            "method",
            "with",
            "µs",
            "± (99.9 %)");
    Collection<RunResult> results = new Runner(options).run();
    results.forEach(result -> row(table, result));
    report.add(table);
  }

  private static void row(Table table, RunResult result) {
    String name = result.getParams().getBenchmark();
    String method = name.substring(Methods.class.getPackageName().length() + 1);
    String with =
        result.getParams().getParamsKeys().stream()
            .map(key -> key + " " + result.getParams().getParam(key))
            .collect(Collectors.joining(", "));
    var score = result.getPrimaryResult();
    table.row(
        method.replace("Benchmark", ""),
        with,
        "%.2f".formatted(score.getScore()),
        "%.2f".formatted(score.getScoreError()));
  }
}
