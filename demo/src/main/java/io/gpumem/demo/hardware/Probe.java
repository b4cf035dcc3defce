package io.gpumem.demo.hardware;

import io.gpumem.demo.scenario.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Runs the CUDA program and shows the command and all that it printed. For one thread. */
final class Probe {

  /** The first context after the driver was loaded takes seconds. */
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** What would choose among GPUs besides /dev must not be inherited. */
  private static final List<String> CHOOSERS =
      List.of("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "CUDA_MPS_PIPE_DIRECTORY");

  private final Path folder;
  private final Console console;
  private int runs;

  /**
   * @param folder for what the programs print
   */
  Probe(Path folder, Console console) {
    this.folder = folder;
    this.console = console;
  }

  /** Runs the command with these variables besides ours; empty if it failed or said too little. */
  Optional<Sight> run(List<String> command, Map<String, String> variables)
      throws IOException, InterruptedException {
    StringBuilder shown = new StringBuilder("    #");
    variables.forEach((name, value) -> shown.append(' ').append(name).append('=').append(value));
    console.plain(shown + " " + String.join(" ", command));
    Path output = folder.resolve("probe-" + runs++ + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    CHOOSERS.forEach(builder.environment()::remove);
    builder.environment().putAll(variables);
    Process process = builder.start();
    boolean ended = process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    if (!ended) {
      process.destroyForcibly();
    }
    List<String> lines = Files.readAllLines(output);
    lines.forEach(line -> console.plain("    " + line));
    if (!ended) {
      console.plain("    (killed after %d s)".formatted(LIMIT.toSeconds()));
      return Optional.empty();
    }
    console.plain("    exit code " + process.exitValue());
    return process.exitValue() == 0 ? Sight.parse(lines) : Optional.empty();
  }
}
