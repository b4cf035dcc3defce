package io.gpumem.bench.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of ours from its exec on. Closing it ends it. */
public final class Running implements AutoCloseable {

  /** The extender drains for seconds at most. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  private final Process process;
  private final Path log;
  private final long startedNanos;

  private Running(Process process, Path log, long startedNanos) {
    this.process = process;
    this.log = log;
    this.startedNanos = startedNanos;
  }

  /**
   * Starts a program; what it prints goes to the log.
   *
   * @throws IOException when it can't be started
   */
  public static Running start(List<String> command, Path log) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectOutput(ProcessBuilder.Redirect.to(log.toFile()));
    long before = System.nanoTime();
    return new Running(builder.start(), log, before);
  }

  /** How long ago it was started. */
  public Duration age() {
    return Duration.ofNanos(System.nanoTime() - startedNanos);
  }

  /** Its memory now. */
  public Footprint footprint() throws IOException {
    return Footprint.of(process.pid());
  }

  /**
   * Fails when the process has ended by itself.
   *
   * @throws IllegalStateException with the place of the log
   */
  public void requireAlive() {
    if (!process.isAlive()) {
      throw new IllegalStateException(
          "expected a running process but it ended with " + process.exitValue() + ", see " + log);
    }
  }

  /**
   * Asks the process to end and waits for it, for so long at most.
   *
   * @return its exit code
   * @throws IllegalStateException when it doesn't end
   */
  public int stop(Duration limit) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException("expected an end within " + limit + ", see " + log);
    }
    return process.exitValue();
  }

  @Override
  public void close() throws InterruptedException {
    if (process.isAlive()) {
      int _ = stop(STOP_LIMIT);
    }
  }
}
