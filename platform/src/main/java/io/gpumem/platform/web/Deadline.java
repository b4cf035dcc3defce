package io.gpumem.platform.web;

import io.gpumem.platform.time.Cancellable;
import io.gpumem.platform.time.Time;
import java.io.InterruptedIOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The deadline of one request's reading or writing. When it is over it interrupts the request's
 * thread, which closes the socket that the thread reads or writes (see
 * java.nio.channels.InterruptibleChannel), so that a client that stalls frees what it holds. The
 * JDK's server has such limits only for the whole JVM, in whole seconds and with the handler's own
 * time inside.
 *
 * <pre>
 *   idle --arm--> armed --disarm--> idle
 *                   `----time-----> expired, for good
 * </pre>
 */
final class Deadline {

  private final Time time;
  private final Thread thread;
  private @Nullable Cancellable armed;
  private int round;
  private boolean expired;

  /**
   * @param thread what to interrupt: the one that reads and writes
   */
  Deadline(Time time, Thread thread) {
    this.time = time;
    this.thread = thread;
  }

  /** Starts the clock. */
  synchronized void arm(Duration limit, Runnable onExpired) {
    int now = ++round;
    armed = time.schedule(limit, () -> expire(now, onExpired));
  }

  /** Stops the clock; after it returns the thread is not interrupted until the next arm. */
  synchronized void disarm() throws InterruptedIOException {
    release();
    if (expired) {
      throw new InterruptedIOException("the client was too slow");
    }
  }

  /** Stops the clock at the end of the thread. */
  synchronized void release() {
    round++;
    if (armed != null) {
      armed.cancel();
      armed = null;
    }
  }

  private synchronized void expire(int ofRound, Runnable onExpired) {
    if (ofRound == round) {
      expired = true;
      onExpired.run();
      thread.interrupt();
    }
  }
}
