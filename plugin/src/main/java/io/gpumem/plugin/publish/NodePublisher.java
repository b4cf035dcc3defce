package io.gpumem.plugin.publish;

import io.gpumem.platform.cluster.Cluster;
import io.gpumem.platform.cluster.PatchOutcome;
import io.gpumem.platform.log.LogKeys;
import io.gpumem.platform.time.DoublingPause;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the node's annotations and labels what they should be. Changes are gathered for a moment
 * and written in one patch, only what differs: each patch is a full-object event to every watcher
 * of the node, and wakes every pod that waits for us. A value that somebody else wrote is put back
 * and counted. One thread of its own; nobody waits for it.
 */
public final class NodePublisher implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NodePublisher.class);

  /** Changes come in bursts; the truth must be out within a second. */
  private static final Duration GATHER = Duration.ofMillis(250);

  /** How often we look though nothing happened: a lost nudge must not last. */
  private static final Duration LOOK_EVERY = Duration.ofSeconds(30);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** More patches than can be on their way back to us at once. */
  private static final int REMEMBERED = 8;

  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private final Cluster cluster;
  private final String node;
  private final Supplier<Optional<NodeKeys>> wanted;
  private final Consumer<Event> events;
  private final Semaphore nudges = new Semaphore(0);
  private final Thread thread = Thread.ofPlatform().name("publisher").unstarted(this::run);
  private volatile boolean stopping;
  private volatile @Nullable NodeKeys found;
  private volatile @Nullable NodeKeys written;

  /** What we wrote and the watch has not shown yet, oldest first; guarded by itself. */
  private final Deque<NodeKeys> expected = new ArrayDeque<>();

  /** What happened, for metrics. */
  public enum Event {
    PUBLISHED,
    FAILED,
    FORGERY
  }

  /**
   * @param wanted what the node should say now; empty while that is not known
   */
  public NodePublisher(
      Cluster cluster, String node, Supplier<Optional<NodeKeys>> wanted, Consumer<Event> events) {
    this.cluster = cluster;
    this.node = node;
    this.wanted = wanted;
    this.events = events;
  }

  public void start() {
    thread.start();
  }

  /** Something changed that may be published. */
  public void nudge() {
    nudges.release();
  }

  /** The node as the watch shows it now. */
  public void found(NodeKeys now) {
    synchronized (expected) {
      if (expected.contains(now)) {
        while (!now.equals(expected.removeFirst())) {
          // The watch is in order: what was written before has been seen, or never will be.
        }
      }
    }
    found = now;
    nudge();
  }

  private void run() {
    DoublingPause pause = new DoublingPause(FIRST_PAUSE, LONGEST_PAUSE);
    try {
      while (!stopping) {
        boolean nudged = nudges.tryAcquire(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        if (nudged) {
          Thread.sleep(GATHER);
          nudges.drainPermits();
        }
        if (publish()) {
          pause.reset();
        } else {
          Thread.sleep(pause.next());
          nudge();
        }
      }
    } catch (InterruptedException stopped) {
      LOG.atDebug().log("the publisher was stopped");
    }
  }

  /** Writes what differs; false when it has to be tried again. */
  private boolean publish() {
    NodeKeys there = found;
    Optional<NodeKeys> should = wanted.get();
    if (there == null || should.isEmpty()) {
      return true;
    }
    NodeKeys now = should.get();
    Map<String, Optional<String>> annotations = now.annotationChanges(there);
    Map<String, Optional<String>> labels = now.labelChanges(there);
    if (annotations.isEmpty() && labels.isEmpty()) {
      return true;
    }
    if (now.equals(written) && isAllShown()) {
      events.accept(Event.FORGERY);
      LOG.atWarn()
          .addKeyValue(LogKeys.NODE, node)
          .addKeyValue("keys", annotations.keySet() + " " + labels.keySet())
          .log("somebody else changed what we publish, writing it again");
    }
    expect(now);
    PatchOutcome outcome = cluster.patchNode(node, annotations, labels);
    if (outcome instanceof PatchOutcome.Patched) {
      // Until the watch shows the patch, what we wrote is what is there.
      if (there.equals(found)) {
        found = now;
      }
      written = now;
      events.accept(Event.PUBLISHED);
      return true;
    }
    events.accept(Event.FAILED);
    LOG.atWarn()
        .addKeyValue(LogKeys.NODE, node)
        .addKeyValue("outcome", outcome)
        .log("could not publish the node's books");
    return false;
  }

  /** While a patch of ours is on its way back, an older state on the watch is nobody's forgery. */
  private boolean isAllShown() {
    synchronized (expected) {
      return expected.isEmpty();
    }
  }

  private void expect(NodeKeys now) {
    synchronized (expected) {
      if (expected.size() == REMEMBERED) {
        expected.removeFirst();
      }
      expected.addLast(now);
    }
  }

  @Override
  public void close() {
    stopping = true;
    thread.interrupt();
    try {
      thread.join(STOP_LIMIT);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
