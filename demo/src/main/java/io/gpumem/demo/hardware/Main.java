package io.gpumem.demo.hardware;

import io.gpumem.demo.process.Binaries;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.event.Level;

/** Looks at a machine with real GPUs; {@code build/h200 run} starts it, as root. */
public final class Main {

  private static final Option<Path> PROBE =
      Option.of("--probe", Parsers.path(), "cuda-probe", "The compiled cuda-probe.c.");

  private static final Option<Optional<Path>> NVML =
      Option.optional("--nvml-library", Parsers.path(), "Passed on to the plugin.");

  private static final Option<Optional<Path>> MACHINE =
      Option.optional("--simulated-machine", Parsers.path(), "Passed on, to rehearse this.");

  private static final Options OPTIONS = Options.of(List.of(PROBE, NVML, MACHINE));

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
      case Values values -> look(invocation, values);
    };
  }

  private static int look(Invocation invocation, Values values) throws Exception {
    Logging.configure(LogFormat.TEXT, Level.ERROR);
    Path place = Files.createTempDirectory(Path.of("/tmp"), "gm");
    List<String> flags = new ArrayList<>();
    values.get(NVML).ifPresent(path -> flags.add("--nvml-library=" + path));
    values.get(MACHINE).ifPresent(path -> flags.add("--simulated-machine=" + path));
    Path probe = values.get(PROBE).toAbsolutePath().normalize();
    boolean held =
        new Evidence(
                invocation.life(),
                invocation.faults(),
                Binaries.ofThisProcess(),
                flags,
                new PrivateDev(probe, place.resolve("dev")),
                place,
                new Checks(invocation.out()))
            .look();
    return held ? ExitCode.OK : ExitCode.FAILED;
  }
}
