package io.gpumem.platform.life;

import io.gpumem.platform.log.LogKeys;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of one process, started in order and stopped in reverse, each once and each stop within
 * a limit.
 *
 * <pre>
 *   starting --awaitEnd--> living --end--> ending --stop--> stopped
 *       `-----------------end---------------^
 * </pre>
 *
 * <p>{@link #end} may be called from any thread and the first call decides the exit code; parts are
 * started and stopped by the one thread that runs the start method.
 */
public final class Life {

  /** The limit of a stop that names none; six such parts fit a pod's grace period of 30 s. */
  public static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(Life.class);

  private record Started(String name, Duration limit, Stop stop) {}

  private interface Stop {
    void run() throws Exception;
  }

  private final CountDownLatch ended = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Deque<Started> parts = new ArrayDeque<>();
  private @Nullable Thread starter;
  private int code = ExitCode.OK;

  /** Starts a part and keeps it for the end, where it gets {@link #STOP_LIMIT}. */
  public void start(String name, Part part) throws Exception {
    start(name, STOP_LIMIT, part);
  }

  /**
   * Starts a part and keeps it for the end.
   *
   * @throws LifeEnded when the process was told to end already
   * @throws Exception what the part's start threw; the part is not kept then
   */
  public void start(String name, Duration stopLimit, Part part) throws Exception {
    enterStart(name);
    try {
      part.start();
    } finally {
      leaveStart();
    }
    keep(new Started(name, stopLimit, part::stop));
    log.atDebug().addKeyValue(LogKeys.PART, name).log("part started");
  }

  /** Keeps something that works already, to be closed at the end. */
  public <T extends AutoCloseable> T own(String name, T thing) {
    keep(new Started(name, STOP_LIMIT, thing::close));
    return thing;
  }

  /** Asks the process to end. Only the first call counts; returns at once. */
  public void end(int code, String why) {
    if (decide(code)) {
      log.atInfo().addKeyValue("code", code).addKeyValue("why", why).log("process ends");
      interruptStart();
    }
  }

  /** The end that comes by the start method's own return, which needs no line in the log. */
  void returned(int code) {
    var _ = decide(code);
  }

  /** Whether the process was asked to end. */
  public boolean ended() {
    return ended.getCount() == 0;
  }

  /** The exit code that the first {@link #end} named, {@link ExitCode#OK} before. */
  public synchronized int code() {
    return code;
  }

  /**
   * Waits until somebody calls {@link #end} and returns its exit code. This is the one wait without
   * a deadline: it lasts as long as the process is wanted.
   */
  public int awaitEnd() throws InterruptedException {
    ended.await();
    return code();
  }

  /** Stops what was started, the last first. A second call finds nothing to do. */
  public void stop() {
    for (var part = next(); part != null; part = next()) {
      stop(part);
    }
    stopped.countDown();
  }

  /** Waits until {@link #stop} is through; false when it took longer than the limit. */
  public boolean awaitStopped(Duration limit) throws InterruptedException {
    return stopped.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** How long the stops of the parts started so far may take together. */
  public synchronized Duration stopLimit() {
    return parts.stream().map(Started::limit).reduce(Duration.ZERO, Duration::plus);
  }

  private synchronized boolean decide(int wanted) {
    if (ended()) {
      return false;
    }
    code = wanted;
    ended.countDown();
    return true;
  }

  private synchronized void keep(Started part) {
    parts.push(part);
  }

  private synchronized @Nullable Started next() {
    return parts.poll();
  }

  private synchronized void enterStart(String name) {
    if (ended()) {
      throw new LifeEnded(name);
    }
    starter = Thread.currentThread();
  }

  /** The interrupt of an end that came during the start must not hit what follows. */
  private synchronized void leaveStart() {
    starter = null;
    if (ended()) {
      var _ = Thread.interrupted();
    }
  }

  private synchronized void interruptStart() {
    if (starter != null) {
      starter.interrupt();
    }
  }

  private static void stop(Started part) {
    // A daemon thread of its own: a stop that hangs is left behind, and can't keep the JVM alive.
    var thread =
        Thread.ofPlatform().daemon().name("stop-" + part.name).unstarted(() -> attempt(part));
    thread.setUncaughtExceptionHandler((t, thrown) -> logFailure(part, thrown));
    thread.start();
    try {
      if (!thread.join(part.limit)) {
        thread.interrupt();
        log.atWarn()
            .addKeyValue(LogKeys.PART, part.name)
            .addKeyValue("limit", part.limit)
            .log("part did not stop in time and is left behind");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void attempt(Started part) {
    try {
      part.stop.run();
      log.atDebug().addKeyValue(LogKeys.PART, part.name).log("part stopped");
    } catch (Exception e) {
      logFailure(part, e);
    }
  }

  private static void logFailure(Started part, Throwable thrown) {
    log.atWarn().setCause(thrown).addKeyValue(LogKeys.PART, part.name).log("part failed to stop");
  }
}
