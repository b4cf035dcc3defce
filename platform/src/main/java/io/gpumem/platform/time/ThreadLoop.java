package io.gpumem.platform.time;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A {@link Loop} on a thread of its own. A round that throws is logged, and the next one comes. */
public final class ThreadLoop implements Loop {

  private static final Logger LOG = LoggerFactory.getLogger(ThreadLoop.class);

  /** After a round that threw: a bug must not spin. */
  private static final Duration AFTER_BUG = Duration.ofSeconds(1);

  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private final Duration gather;
  private final Round round;
  private final Semaphore nudges = new Semaphore(0);
  private final Thread thread;
  private volatile boolean stopping;

  public ThreadLoop(String name, Duration gather, Round round) {
    this.gather = gather;
    this.round = round;
    this.thread = Thread.ofPlatform().name(name).unstarted(this::run);
  }

  @Override
  public void start() {
    thread.start();
  }

  @Override
  public void nudge() {
    nudges.release();
  }

  private void run() {
    try {
      while (!stopping) {
        await(next());
      }
    } catch (InterruptedException stopped) {
      LOG.atDebug().addKeyValue("loop", thread.getName()).log("stopped");
    }
  }

  private Pause next() throws InterruptedException {
    try {
      return round.run();
    } catch (RuntimeException bug) {
      LOG.atError().addKeyValue("loop", thread.getName()).setCause(bug).log("a round failed");
      return Pause.exactly(AFTER_BUG);
    }
  }

  private void await(Pause pause) throws InterruptedException {
    if (!pause.sooner()) {
      Thread.sleep(pause.length());
    } else if (nudges.tryAcquire(pause.length().toNanos(), TimeUnit.NANOSECONDS)) {
      Thread.sleep(gather);
      nudges.drainPermits();
    }
  }

  @Override
  public void close() {
    stopping = true;
    thread.interrupt();
    try {
      boolean unused = thread.join(STOP_LIMIT);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
