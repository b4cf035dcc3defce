package io.gpumem.demo.hardware;

import io.gpumem.demo.process.Binaries;
import io.gpumem.demo.scenario.Console;
import io.gpumem.platform.life.ExitCode;
import io.gpumem.platform.life.Invocation;
import io.gpumem.platform.life.Program;
import io.gpumem.platform.log.LogFormat;
import io.gpumem.platform.log.Logging;
import io.gpumem.platform.options.Option;
import io.gpumem.platform.options.Options;
import io.gpumem.platform.options.Parsed;
import io.gpumem.platform.options.Parsers;
import io.gpumem.platform.options.Values;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.event.Level;

/** The run on a real machine; {@code build/h200} starts it. */
public final class Main {

  private static final Option<Path> TOOLS =
      Option.of("--tools", Parsers.path(), ".", "The folder with cuda-probe and private-dev.");

  private static final Option<Optional<Path>> NVML_LIBRARY =
      Option.optional(
          "--nvml-library", Parsers.path(), "Handed to the plugin, where it finds none by itself.");

  private static final Option<Integer> UNITS =
      Option.of(
          "--units",
          Parsers.integer(0, Integer.MAX_VALUE),
          "0",
          "How many units each GPU must have; 0 where that is not known.");

  private static final Option<Duration> PATIENCE =
      Option.of(
          "--patience",
          Parsers.duration(Duration.ofSeconds(1), Duration.ofMinutes(5)),
          "60s",
          "How long any one step may take before the run is given up.");

  private static final Options OPTIONS = Options.of(List.of(TOOLS, NVML_LIBRARY, UNITS, PATIENCE));

  private Main() {}

  public static void main(String[] args) {
    Program.launch(args, Main::run);
  }

  private static int run(Invocation invocation) throws Exception {
    return switch (OPTIONS.parse(invocation.args(), invocation.env())) {
      case Parsed.HelpAsked() -> {
        invocation.out().print(OPTIONS.help("build/h200 run"));
        yield ExitCode.OK;
      }
      case Parsed.Problems(List<String> sentences) -> {
        sentences.forEach(invocation.err()::println);
        yield ExitCode.BAD_OPTIONS;
      }
      case Values values -> {
        Logging.configure(LogFormat.TEXT, Level.ERROR);
        Evidence.Setup setup =
            new Evidence.Setup(
                Binaries.ofThisProcess(),
                values.get(TOOLS).toAbsolutePath().normalize(),
                values.get(NVML_LIBRARY),
                values.get(UNITS),
                values.get(PATIENCE));
        yield new Evidence(
                invocation.life(), invocation.faults(), setup, new Console(invocation.out()))
            .run();
      }
    };
  }
}
