package io.gpumem.demo;

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
import org.slf4j.event.Level;

/** The demonstration's process; {@code make demo} starts it. */
public final class Main {

  private static final Option<Boolean> STAY =
      Option.off("--stay", "Stay up afterwards, with the extender's API on a loopback port.");

  private static final Option<Path> HOME =
      Option.of("--home", Parsers.path(), ".", "The repository, built.");

  private static final Option<Duration> PATIENCE =
      Option.of(
          "--patience",
          Parsers.duration(Duration.ofSeconds(1), Duration.ofMinutes(10)),
          "60s",
          "How long any one step may take before the run is given up.");

  private static final Options OPTIONS = Options.of(List.of(STAY, HOME, PATIENCE));

  private Main() {}

  public static void main(String[] args) {
    Program.launch(args, Main::run);
  }

  private static int run(Invocation invocation) throws Exception {
    return switch (OPTIONS.parse(invocation.args(), invocation.env())) {
      case Parsed.HelpAsked() -> {
        invocation.out().print(OPTIONS.help("make demo ARGS="));
        yield ExitCode.OK;
      }
      case Parsed.Problems(List<String> sentences) -> {
        sentences.forEach(invocation.err()::println);
        yield ExitCode.BAD_OPTIONS;
      }
      case Values values -> {
        // What the played parts log is no part of the story; what went wrong in them is.
        Logging.configure(LogFormat.TEXT, Level.ERROR);
        Binaries binaries = Binaries.built(values.get(HOME).toAbsolutePath().normalize());
        Console console = new Console(invocation.out());
        yield new Demo(
                invocation.life(), invocation.faults(), binaries, console, values.get(PATIENCE))
            .run(values.get(STAY));
      }
    };
  }
}
