package io.gpumem.plugin.kubelet;

import io.gpumem.core.units.PodName;
import io.gpumem.platform.time.DoublingPause;
import io.gpumem.platform.time.Loop;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.HolderCheck;
import io.gpumem.plugin.allocate.Reading;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what we know of the kubelet's table fresh: the whole of it once at start and rarely after,
 * the pods whose place is not known yet soon after something happened, all known pods now and then.
 * One loop of its own; the allocation calls never wait for it.
 *
 * <p>Pod by pod with Get, because a List during an Allocate can make the kubelet sell an ID twice.
 * Where the kubelet has no Get, a List, and never between a preferred call and a moment after the
 * answer to Allocate.
 */
public final class TableReader implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TableReader.class);

  private static final Duration CALL_LIMIT = Duration.ofSeconds(5);

  /** A container's devices show right after the answer to Allocate; and events come in bursts. */
  private static final Duration AFTER_EVENT = Duration.ofMillis(150);

  private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(4);
  private static final Duration ALL_PODS_EVERY = Duration.ofSeconds(10);
  private static final Duration LIST_EVERY = Duration.ofSeconds(60);

  /** From a preferred call no List, until its Allocate was answered or can't come any more. */
  private static final Duration CALL_IN_FLIGHT = Duration.ofSeconds(2);

  private static final Duration AFTER_ANSWER = Duration.ofMillis(100);

  /** The socket's limit is 100 calls a second in bursts of 10, for all its clients together. */
  private static final int BURST = 5;

  private static final Duration BURST_PAUSE = Duration.ofMillis(100);

  private final PodTable resources;
  private final Allocator allocator;
  private final LongSupplier nanos;
  private final Runnable changed;
  private final Loop loop;
  private final CountDownLatch listed = new CountDownLatch(1);
  private final AtomicLong noListUntil = new AtomicLong(Long.MIN_VALUE);
  private volatile boolean allWanted;
  private volatile boolean nudged;

  // Of the loop's rounds alone:
  private final Deque<PodName> toRead = new ArrayDeque<>();
  private final DoublingPause again = new DoublingPause(AFTER_EVENT, LONGEST_BACKOFF);
  private boolean hasGet = true;
  private long allReadNanos;
  private long wholeReadNanos;

  /**
   * @param changed told after each round that read something
   */
  public TableReader(
      PodTable resources,
      Allocator allocator,
      LongSupplier nanos,
      Loop.Loops loops,
      Runnable changed) {
    this.resources = resources;
    this.allocator = allocator;
    this.nanos = nanos;
    this.changed = changed;
    this.noListUntil.set(nanos.getAsLong());
    this.loop = loops.of("table-reader", AFTER_EVENT, this::round);
  }

  public void start() {
    loop.start();
  }

  /** Something happened that the table may show by now. */
  public void nudge() {
    nudged = true;
    loop.nudge();
  }

  /** The kubelet may have another table now. */
  public void nudgeForAll() {
    allWanted = true;
    nudge();
  }

  /** A preferred call has come: its Allocate is about to. */
  public void callBegan() {
    noListUntil.set(nanos.getAsLong() + CALL_IN_FLIGHT.toNanos());
  }

  /** Allocate was answered. */
  public void callEnded() {
    noListUntil.set(nanos.getAsLong() + AFTER_ANSWER.toNanos());
    nudge();
  }

  /** Waits for the first whole table; false when it did not come in time. */
  public boolean awaitFirst(Duration limit) throws InterruptedException {
    return listed.await(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  private Loop.Pause round() {
    if (listed.getCount() > 0) {
      return first();
    }
    if (toRead.isEmpty()) {
      begin();
    }
    readBurst();
    if (!toRead.isEmpty()) {
      return Loop.Pause.exactly(BURST_PAUSE);
    }
    return Loop.Pause.atMost(allocator.unsettledNames().isEmpty() ? ALL_PODS_EVERY : again.next());
  }

  /** Nothing else is read before the whole table was. */
  private Loop.Pause first() {
    if (!list()) {
      return Loop.Pause.atMost(again.next());
    }
    allReadNanos = nanos.getAsLong();
    wholeReadNanos = allReadNanos;
    listed.countDown();
    return Loop.Pause.atMost(ALL_PODS_EVERY);
  }

  /** Reads the whole table, or says which pods are to be read. */
  private void begin() {
    if (nudged) {
      nudged = false;
      again.reset();
    }
    long now = nanos.getAsLong();
    boolean whole = now - wholeReadNanos >= LIST_EVERY.toNanos() && mayList();
    boolean all = allWanted || now - allReadNanos >= ALL_PODS_EVERY.toNanos();
    // It may be another kubelet, of another version.
    hasGet |= allWanted;
    allWanted = false;
    if (whole || !hasGet) {
      wholeReadNanos = list() ? now : wholeReadNanos;
    } else {
      toRead.addAll(new TreeSet<>(all ? allocator.allNames() : allocator.unsettledNames()));
    }
    allReadNanos = all || whole ? now : allReadNanos;
  }

  private boolean mayList() {
    return nanos.getAsLong() >= noListUntil.get();
  }

  /** Reads some pods one by one, so few that the socket's other clients have room. */
  private void readBurst() {
    if (toRead.isEmpty()) {
      return;
    }
    for (int i = 0; i < BURST && !toRead.isEmpty(); i++) {
      PodName name = toRead.removeFirst();
      long begun = nanos.getAsLong();
      switch (resources.ask(name, CALL_LIMIT)) {
        case HolderCheck.Held.Listed(Reading reading) -> allocator.shown(reading);
        case HolderCheck.Held.Gone() -> allocator.notShown(name, begun);
        case HolderCheck.Held.Unknown(String why) -> {
          hasGet = !why.equals(PodTable.NO_GET);
          toRead.clear();
          LOG.atDebug().addKeyValue("why", why).log("could not read a pod's devices");
        }
      }
    }
    changed.run();
  }

  /** Reads the whole table, and takes names that it lacks for unknown to the kubelet. */
  private boolean list() {
    if (!mayList()) {
      return false;
    }
    long begun = nanos.getAsLong();
    return switch (resources.list(CALL_LIMIT)) {
      case PodTable.Listed.Table(var readings) -> {
        Set<PodName> missing = new HashSet<>(allocator.allNames());
        for (Reading reading : readings) {
          // The kubelet lists every pod of the node; most have nothing of ours.
          if (missing.remove(reading.name()) || !reading.containers().isEmpty()) {
            allocator.shown(reading);
          }
        }
        missing.forEach(name -> allocator.notShown(name, begun));
        changed.run();
        yield true;
      }
      case PodTable.Listed.Failed(String why) -> {
        LOG.atDebug().addKeyValue("why", why).log("could not read the kubelet's table");
        yield false;
      }
    };
  }

  @Override
  public void close() {
    loop.close();
  }
}
