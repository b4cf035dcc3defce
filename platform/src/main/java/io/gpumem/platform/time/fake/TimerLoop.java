package io.gpumem.platform.time.fake;

import io.gpumem.platform.time.Cancellable;
import io.gpumem.platform.time.Loop;
import io.gpumem.platform.time.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Loop} as tasks of a timer, for tests and simulations in which one thread plays all. What
 * a round throws, the timer's owner gets.
 */
public final class TimerLoop implements Loop {

  private final Time time;
  private final Duration gather;
  private final Round round;
  private @Nullable Cancellable next;
  private boolean running;
  private boolean mayBeSooner = true;
  private boolean nudged;
  private boolean closed;

  public TimerLoop(Time time, Duration gather, Round round) {
    this.time = time;
    this.gather = gather;
    this.round = round;
  }

  @Override
  public void start() {
    schedule(Duration.ZERO);
  }

  @Override
  public void nudge() {
    boolean first = !nudged;
    nudged = true;
    if (first && mayBeSooner && !running && next != null) {
      schedule(gather);
    }
  }

  private void schedule(Duration after) {
    if (next != null) {
      next.cancel();
    }
    next = closed ? null : time.schedule(after, this::run);
  }

  private void run() {
    if (closed) {
      return;
    }
    running = true;
    nudged = false;
    try {
      Pause pause = round.run();
      mayBeSooner = pause.sooner();
      boolean soon = nudged && pause.sooner() && gather.compareTo(pause.length()) < 0;
      running = false;
      schedule(soon ? gather : pause.length());
    } catch (InterruptedException never) {
      throw new IllegalStateException("a round was interrupted on the only thread", never);
    } finally {
      running = false;
    }
  }

  @Override
  public void close() {
    closed = true;
    schedule(Duration.ZERO);
  }
}
