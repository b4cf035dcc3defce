package io.gpumem.platform.life;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Faults of the real process: a fatal one ends its {@link Life}, and halts it when that end does
 * not come, so that a stuck stop can't keep a broken process alive.
 */
public final class ProcessFaults implements Faults {

  /** What the start method gets on top of its parts' own limits, to return. */
  private static final Duration SLACK = Duration.ofSeconds(2);

  private static final Logger log = LoggerFactory.getLogger(ProcessFaults.class);

  private final Life life;
  private final IntConsumer halt;
  private final Duration slack;
  private final AtomicLong nonFatal = new AtomicLong();

  public ProcessFaults(Life life) {
    this(life, Runtime.getRuntime()::halt, SLACK);
  }

  ProcessFaults(Life life, IntConsumer halt, Duration slack) {
    this.life = life;
    this.halt = halt;
    this.slack = slack;
  }

  @Override
  public void fatal(String what, Throwable cause) {
    log.atError().setCause(cause).addKeyValue("what", what).log("fatal fault, the process ends");
    life.end(ExitCode.FAILED, what);
    var limit = life.stopLimit().plus(slack);
    Thread.ofPlatform().daemon().name("fatal-watch").start(() -> haltUnlessStopped(limit));
  }

  @Override
  public void nonFatal(String what, Throwable cause) {
    nonFatal.incrementAndGet();
    log.atError().setCause(cause).addKeyValue("what", what).log("fault");
  }

  @Override
  public long nonFatalCount() {
    return nonFatal.get();
  }

  private void haltUnlessStopped(Duration limit) {
    try {
      if (life.awaitStopped(limit)) {
        return;
      }
    } catch (InterruptedException e) {
      // Nobody interrupts this thread on purpose; ending the process is still its task.
      Thread.currentThread().interrupt();
    }
    halt.accept(ExitCode.FAILED);
  }
}
