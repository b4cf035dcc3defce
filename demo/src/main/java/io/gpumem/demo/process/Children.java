package io.gpumem.demo.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All processes of the demonstration; none outlives {@link #close}. Thread-safe. */
public final class Children implements AutoCloseable {

  /** Time for an orderly end, well above what the binaries take. */
  private static final Duration GRACE = Duration.ofSeconds(3);

  private final Path logs;
  private final List<Child> children = new ArrayList<>();
  private boolean closed;

  /**
   * @param logs an existing folder; each child gets a file of its name there
   */
  public Children(Path logs) {
    this.logs = logs;
  }

  /**
   * Starts a process.
   *
   * @throws IOException if the program can't be started, or all was closed meanwhile
   */
  public synchronized Child start(String name, List<String> command) throws IOException {
    if (closed) {
      throw new IOException("the demonstration is ending");
    }
    Child child = Child.start(name, command, logs.resolve(name + ".log"));
    children.add(child);
    return child;
  }

  /** One that ended by itself, if there is one. */
  public synchronized Optional<Child> lost() {
    return children.stream().filter(Child::isLost).findFirst();
  }

  /** Ends all at the same time: SIGTERM, and SIGKILL for those that don't go. */
  @Override
  public synchronized void close() throws InterruptedException {
    closed = true;
    children.forEach(Child::ask);
    long deadline = System.nanoTime() + GRACE.toNanos();
    for (Child child : children) {
      child.awaitEnd(deadline);
    }
  }
}
