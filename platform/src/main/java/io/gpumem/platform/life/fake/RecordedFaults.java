package io.gpumem.platform.life.fake;

import io.gpumem.platform.life.Faults;
import java.util.ArrayList;
import java.util.List;

/**
 * Faults that only remember. Strict: a fault that the test did not {@link #take} fails it at {@link
 * #close}. Safe from any thread.
 */
public final class RecordedFaults implements Faults, AutoCloseable {

  /** One fault as it was reported. */
  public record Fault(boolean isFatal, String what, Throwable cause) {}

  private final List<Fault> faults = new ArrayList<>();
  private long nonFatal;

  @Override
  public synchronized void fatal(String what, Throwable cause) {
    faults.add(new Fault(true, what, cause));
  }

  @Override
  public synchronized void nonFatal(String what, Throwable cause) {
    nonFatal++;
    faults.add(new Fault(false, what, cause));
  }

  @Override
  public synchronized long nonFatalCount() {
    return nonFatal;
  }

  /** The faults since the last call, which counts them as expected. */
  public synchronized List<Fault> take() {
    var taken = List.copyOf(faults);
    faults.clear();
    return taken;
  }

  @Override
  public void close() {
    var left = take();
    if (!left.isEmpty()) {
      throw new AssertionError("expected no fault but was " + left, left.getFirst().cause());
    }
  }
}
