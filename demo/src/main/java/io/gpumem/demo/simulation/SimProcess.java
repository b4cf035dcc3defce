package io.gpumem.demo.simulation;

import io.gpumem.platform.time.Cancellable;
import io.gpumem.platform.time.Loop;
import io.gpumem.platform.time.Time;
import io.gpumem.platform.time.fake.TimerLoop;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One life of a process: its clock, of which nothing runs any more once it is dead, and the write
 * at which it is to be killed.
 */
final class SimProcess implements Time {

  /** Where in a write a kill falls. */
  enum Moment {
    BEFORE_WRITE,
    AFTER_WRITE
  }

  private static final int NEVER = -1;

  private final String name;
  private final EventTime time;
  private final Runnable died;
  private boolean dead;
  private int writesUntilKill = NEVER;
  private Moment moment = Moment.BEFORE_WRITE;

  /**
   * @param died told once, when it is dead
   */
  SimProcess(String name, EventTime time, Runnable died) {
    this.name = name;
    this.time = time;
    this.died = died;
  }

  String name() {
    return name;
  }

  boolean isDead() {
    return dead;
  }

  void kill() {
    if (!dead) {
      dead = true;
      died.run();
    }
  }

  /** Kills it at its n-th write from now. */
  void killAtWrite(int n, Moment when) {
    writesUntilKill = n;
    moment = when;
  }

  /** No write of it is its last any more. */
  void neverKill() {
    writesUntilKill = NEVER;
  }

  /**
   * Called around each write.
   *
   * @throws Killed if this is the one
   */
  void writing(Moment now) {
    if (now == Moment.BEFORE_WRITE && writesUntilKill > 0) {
      writesUntilKill--;
    }
    if (writesUntilKill == 0 && now == moment) {
      writesUntilKill = NEVER;
      kill();
    }
    check();
  }

  /**
   * Lets this time go by, in which everything else goes on.
   *
   * @throws Killed if the process was killed meanwhile
   */
  void sleep(Duration span) {
    time.runFor(span);
    check();
  }

  /** As {@link #sleep}, for one event at most. */
  void await(long nanos) {
    boolean unused = time.runOne(time.monotonicNanos() + nanos);
    check();
  }

  private void check() {
    if (dead) {
      throw new Killed(name);
    }
  }

  /** Runs a task of this process: not at all when it is dead, and no further than its death. */
  void run(Runnable task) {
    if (dead) {
      return;
    }
    try {
      task.run();
    } catch (Killed killed) {
      if (!dead) {
        throw killed;
      }
    }
  }

  /** A call from outside; empty when the process is dead, or died meanwhile. */
  <T> Optional<T> call(Supplier<T> call) {
    if (dead) {
      return Optional.empty();
    }
    try {
      T result = call.get();
      return dead ? Optional.empty() : Optional.of(result);
    } catch (Killed killed) {
      if (!dead) {
        throw killed;
      }
      return Optional.empty();
    }
  }

  Loop loop(String loop, Duration gather, Loop.Round round) {
    return new TimerLoop(this, gather, round);
  }

  @Override
  public long monotonicNanos() {
    return time.monotonicNanos();
  }

  @Override
  public long wallMillis() {
    return time.wallMillis();
  }

  @Override
  public Cancellable schedule(Duration after, Runnable task) {
    return time.schedule(after, () -> run(task));
  }
}
