package io.gpumem.extender;

import io.gpumem.platform.cluster.ClusterSettings;
import io.gpumem.platform.cluster.KubeCluster;
import io.gpumem.platform.life.ExitCode;
import io.gpumem.platform.life.Invocation;
import io.gpumem.platform.life.Program;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.platform.metrics.ProcessMetrics;
import io.gpumem.platform.options.LogOptions;
import io.gpumem.platform.options.Parsed;
import io.gpumem.platform.options.Values;
import io.gpumem.platform.time.SystemTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The extender's binary. */
public final class Main {

  private static final String NAME = "gpu-mem-extender";

  private static final Logger log = LoggerFactory.getLogger(Main.class);

  private Main() {}

  /** Runs until SIGTERM; the options are in {@link ExtenderConfig#options()}. */
  public static void main(String[] args) {
    Program.launch(args, Main::run);
  }

  /** The start method: returns the exit code once the process is to end. */
  static int run(Invocation invocation) throws Exception {
    return switch (ExtenderConfig.options().parse(invocation.args(), invocation.env())) {
      case Parsed.HelpAsked() -> {
        invocation.out().print(ExtenderConfig.options().help(NAME));
        yield ExitCode.OK;
      }
      case Parsed.Problems(var sentences) -> {
        sentences.forEach(sentence -> invocation.err().println(NAME + ": " + sentence));
        yield ExitCode.BAD_OPTIONS;
      }
      case Values values -> run(invocation, values);
    };
  }

  private static int run(Invocation invocation, Values values) throws Exception {
    LogOptions.apply(values);
    values.log(log);
    var config = ExtenderConfig.from(values);
    var life = invocation.life();
    var metrics = new Metrics();
    ProcessMetrics.addTo(metrics);
    var time = life.own("time", new SystemTime(invocation.faults()));
    var cluster =
        life.own("cluster", KubeCluster.connect(ClusterSettings.of(config.access(), NAME)));
    var extender = new Extender(config, cluster, time, metrics, invocation.faults());
    life.start("extender", Extender.STOP_LIMIT, extender);
    return life.awaitEnd();
  }
}
