package io.gpumem.plugin.kubelet;

import io.gpumem.core.units.PodName;
import io.gpumem.platform.time.DoublingPause;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.HolderCheck;
import io.gpumem.plugin.allocate.Reading;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what we know of the kubelet's table fresh: the whole of it once at start and rarely after,
 * the pods whose place is not known yet soon after something happened, all known pods now and then.
 * One thread of its own; the allocation calls never wait for it.
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
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private final PodResources resources;
  private final Allocator allocator;
  private final LongSupplier nanos;
  private final Runnable changed;
  private final Semaphore nudges = new Semaphore(0);
  private final CountDownLatch listed = new CountDownLatch(1);
  private final AtomicLong noListUntil = new AtomicLong(Long.MIN_VALUE);
  private final Thread thread = Thread.ofPlatform().name("table-reader").unstarted(this::run);
  private volatile boolean stopping;
  private volatile boolean allWanted;
  private final DoublingPause again = new DoublingPause(AFTER_EVENT, LONGEST_BACKOFF);
  private boolean hasGet = true;

  /**
   * @param changed told after each round that read something
   */
  public TableReader(
      PodResources resources, Allocator allocator, LongSupplier nanos, Runnable changed) {
    this.resources = resources;
    this.allocator = allocator;
    this.nanos = nanos;
    this.changed = changed;
    this.noListUntil.set(nanos.getAsLong());
  }

  public void start() {
    thread.start();
  }

  /** Something happened that the table may show by now. */
  public void nudge() {
    nudges.release();
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

  private void run() {
    try {
      while (!stopping && !list()) {
        nudges.tryAcquire(again.next().toMillis(), TimeUnit.MILLISECONDS);
        nudges.drainPermits();
      }
      listed.countDown();
      loop();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void loop() throws InterruptedException {
    long allRead = nanos.getAsLong();
    long wholeRead = allRead;
    Duration pause = ALL_PODS_EVERY;
    while (!stopping) {
      if (nudges.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        Thread.sleep(AFTER_EVENT);
        nudges.drainPermits();
        again.reset();
      }
      long now = nanos.getAsLong();
      boolean whole = now - wholeRead >= LIST_EVERY.toNanos() && mayList();
      boolean all = allWanted || now - allRead >= ALL_PODS_EVERY.toNanos();
      // It may be another kubelet, of another version.
      hasGet |= allWanted;
      allWanted = false;
      if (whole || !hasGet) {
        wholeRead = list() ? now : wholeRead;
      } else {
        read(all ? allocator.allNames() : allocator.unsettledNames());
      }
      allRead = all || whole ? now : allRead;
      pause = allocator.unsettledNames().isEmpty() ? ALL_PODS_EVERY : again.next();
    }
  }

  private boolean mayList() {
    return nanos.getAsLong() >= noListUntil.get();
  }

  /** Reads these pods one by one, in bursts that leave room for the socket's other clients. */
  private void read(Collection<PodName> names) throws InterruptedException {
    int inBurst = 0;
    for (PodName name : names) {
      if (++inBurst > BURST) {
        Thread.sleep(BURST_PAUSE);
        inBurst = 1;
      }
      long begun = nanos.getAsLong();
      switch (resources.ask(name, CALL_LIMIT)) {
        case HolderCheck.Held.Listed(Reading reading) -> allocator.shown(reading);
        case HolderCheck.Held.Gone() -> allocator.notShown(name, begun);
        case HolderCheck.Held.Unknown(String why) -> {
          hasGet = !why.equals(PodResources.NO_GET);
          LOG.atDebug().addKeyValue("why", why).log("could not read a pod's devices");
          return;
        }
      }
    }
    if (!names.isEmpty()) {
      changed.run();
    }
  }

  /** Reads the whole table, and takes names that it lacks for unknown to the kubelet. */
  private boolean list() {
    if (!mayList()) {
      return false;
    }
    long begun = nanos.getAsLong();
    return switch (resources.list(CALL_LIMIT)) {
      case PodResources.Listed.Table(var readings) -> {
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
      case PodResources.Listed.Failed(String why) -> {
        LOG.atDebug().addKeyValue("why", why).log("could not read the kubelet's table");
        yield false;
      }
    };
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
