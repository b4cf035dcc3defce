package io.gpumem.platform.life;

import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a start method as a process. The start method is a list of parts, then {@code return
 * life.awaitEnd()}; it returns an exit code and never exits, so that {@link #call} can test it.
 *
 * <p>SIGTERM and SIGINT end the {@link Life} and exit with 0. By itself the JVM would exit with
 * 143, which Kubernetes shows as a failure; only halting at the end of a shutdown hook makes it 0.
 * An exception in the start method ends the process too: left alone, the threads of a server would
 * keep a process alive that does nothing.
 */
public final class Program {

  /** The longest that a signal waits for the stops: below a pod's grace period of 30 s. */
  private static final Duration LONGEST_STOP = Duration.ofSeconds(25);

  private static final Logger log = LoggerFactory.getLogger(Program.class);

  /** A start method: starts its parts in the invocation's life and returns the exit code. */
  @FunctionalInterface
  public interface StartMethod {
    int run(Invocation invocation) throws Exception;
  }

  private Program() {}

  /** Runs the start method in this process and exits; only a {@code main} calls this. */
  public static void launch(String[] args, StartMethod start) {
    var life = new Life();
    var faults = new ProcessFaults(life);
    // A thread that died leaves half a process, which a probe may not notice.
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> faults.fatal("uncaught exception in " + thread.getName(), thrown));
    var hook = new Thread(() -> endBySignal(life), "signal");
    Runtime.getRuntime().addShutdownHook(hook);
    var invocation =
        new Invocation(List.of(args), System.getenv(), System.out, System.err, life, faults);
    exit(call(invocation, start), hook);
  }

  /**
   * Runs the start method, stops whatever it started, and returns the exit code: its own, or the
   * one that its life was ended with, or {@link ExitCode#FAILED} when it threw.
   */
  public static int call(Invocation invocation, StartMethod start) {
    var life = invocation.life();
    try {
      life.returned(start.run(invocation));
    } catch (Throwable thrown) {
      if (!life.ended()) {
        log.atError().setCause(thrown).log("start failed");
        life.returned(ExitCode.FAILED);
      } else if (!(thrown instanceof LifeEnded || thrown instanceof InterruptedException)) {
        log.atWarn().setCause(thrown).log("start was cut short");
      }
    } finally {
      life.stop();
    }
    return life.code();
  }

  private static void exit(int code, Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shutdownBegan) {
      log.atDebug().log("the signal's hook exits the process");
    }
    // Blocks for good when the hook runs already, which then halts the process itself.
    System.exit(code);
  }

  private static void endBySignal(Life life) {
    life.end(ExitCode.OK, "signal");
    var limit = life.stopLimit().plusSeconds(1);
    try {
      if (!life.awaitStopped(limit.compareTo(LONGEST_STOP) < 0 ? limit : LONGEST_STOP)) {
        log.atWarn().addKeyValue("limit", limit).log("stop takes too long, the process is halted");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(life.code());
  }
}
