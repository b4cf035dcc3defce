package io.gpumem.demo.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One process of ours and its successors: after a {@link #kill} it can be started again, as a
 * DaemonSet would. All of them write into one log file. Thread-safe.
 */
public final class Child {

  /** A SIGKILL needs no consent; only a machine that swaps takes longer. */
  private static final Duration KILL_LIMIT = Duration.ofSeconds(5);

  private final String name;
  private final List<String> command;
  private final Path log;
  private Process process;
  private boolean wanted = true;

  private Child(String name, List<String> command, Path log) throws IOException {
    this.name = name;
    this.command = List.copyOf(command);
    this.log = log;
    this.process = launch();
  }

  /**
   * Starts the process. It reads no input; what it prints goes to the log.
   *
   * @throws IOException if the program can't be started
   */
  public static Child start(String name, List<String> command, Path log) throws IOException {
    return new Child(name, command, log);
  }

  private Process launch() throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  public String name() {
    return name;
  }

  public Path log() {
    return log;
  }

  /** Whether it ended though nobody asked it to. */
  public synchronized boolean isLost() {
    return wanted && !process.isAlive();
  }

  /** SIGKILL: the process gets no chance to say goodbye. Returns when it is gone. */
  public synchronized void kill() throws InterruptedException {
    wanted = false;
    process.destroyForcibly();
    if (!process.waitFor(KILL_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException("expected " + name + " to be dead but it runs on");
    }
  }

  /** Starts the same program anew after a {@link #kill}. */
  public synchronized void startAgain() throws IOException {
    process = launch();
    wanted = true;
  }

  /** SIGTERM; returns at once. */
  synchronized void ask() {
    wanted = false;
    process.destroy();
  }

  /** Waits for the end until the deadline, a value of {@link System#nanoTime}; then SIGKILL. */
  synchronized void awaitEnd(long deadline) throws InterruptedException {
    if (!process.waitFor(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
      kill();
    }
  }
}
