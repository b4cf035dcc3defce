package io.gpumem.platform.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.gpumem.platform.cluster.ListWatch.Page;
import io.gpumem.platform.cluster.ListWatch.Watch;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * List, then watch, for ever; any gap is closed by another list.
 *
 * <p>It is a loop of our own and not the library's informer, because an informer tells its handlers
 * neither where a list begins (events of a list and of the watch look alike, so the order of
 * bindings is lost), nor can it be asked for a fresh list, and it ends for good on a blank line in
 * the stream.
 *
 * <p>States of the loop, all on its own thread: <em>nowhere</em> (no version: list next) → <em>at a
 * version</em> (watch next; a lost connection leaves it there) → nowhere again on 410, on anything
 * unreadable, when a relist is due. Each failure is followed by a wait.
 */
final class WatchFeed<O extends HasMetadata, T> implements Feed {

  private static final Logger LOG = LoggerFactory.getLogger(WatchFeed.class);

  /** A watch that lasted this long, or brought something, worked: the waits start small again. */
  private static final Duration WORKED = Duration.ofSeconds(5);

  private static final Duration CLOSE_WAIT = Duration.ofSeconds(5);

  /** The watchdog looks this often within the longest silence. */
  private static final int LOOKS_PER_SILENCE = 4;

  private final ListWatch<O> source;
  private final Function<O, Optional<T>> trim;
  private final FeedListener<T> listener;
  private final ClusterSettings.Patience patience;
  private final ScheduledExecutorService deadlines;
  private final Ticks ticks;
  private final Known<T> known = new Known<>();
  private final FeedTally tally = new FeedTally();
  private final BackOff backOff;
  private final CountDownLatch synced = new CountDownLatch(1);
  private final Semaphore wake = new Semaphore(0);
  private final Thread thread;

  private volatile boolean closed;
  private volatile boolean relistWanted;
  private volatile Optional<WatchReader<O>> current = Optional.empty();
  private volatile long watchedAt;
  private long listedAt;
  private boolean troubled;
  private boolean heard;

  WatchFeed(
      ListWatch<O> source,
      Function<O, Optional<T>> trim,
      FeedListener<T> listener,
      ClusterSettings.Patience patience,
      ScheduledExecutorService deadlines,
      Ticks ticks) {
    this.source = source;
    this.trim = trim;
    this.listener = listener;
    this.patience = patience;
    this.deadlines = deadlines;
    this.ticks = ticks;
    this.backOff = new BackOff(patience.backOffMin(), patience.backOffMax(), ticks.chance());
    this.watchedAt = ticks.now();
    this.thread = Thread.ofPlatform().daemon().name("feed " + source.label()).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Where the loop stands after a list or a watch. */
  private record Step(Optional<String> version, Optional<String> failure, Duration atLeast) {

    static Step at(String version) {
      return new Step(Optional.of(version), Optional.empty(), Duration.ZERO);
    }

    static Step nowhere() {
      return new Step(Optional.empty(), Optional.empty(), Duration.ZERO);
    }

    static Step failed(Optional<String> version, String why, Duration atLeast) {
      return new Step(version, Optional.of(why), atLeast);
    }
  }

  private void run() {
    Optional<String> version = Optional.empty();
    while (!closed) {
      Optional<String> reached = version;
      boolean listNext = version.isEmpty() || relistWanted || relistIn().isNegative();
      Step step = guarded(() -> listNext ? list() : watch(reached.orElseThrow()));
      version = step.version();
      if (step.failure().isPresent() && !closed) {
        rest(step.failure().get(), step.atLeast());
      }
    }
  }

  /** A fault of ours, or of a library, must not end the feed: it is one more failure. */
  private Step guarded(Supplier<Step> step) {
    try {
      return step.get();
    } catch (RuntimeException fault) {
      LOG.atError().addKeyValue("feed", source.label()).setCause(fault).log("feed failed");
      return Step.failed(Optional.empty(), fault.toString(), Duration.ZERO);
    }
  }

  private Duration relistIn() {
    return patience.relist().minus(ticks.since(listedAt));
  }

  private Step list() {
    relistWanted = false;
    listedAt = ticks.now();
    Map<String, T> fresh = new LinkedHashMap<>();
    Optional<String> token = Optional.empty();
    while (true) {
      switch (source.page(token)) {
        case Page.Failed<O>(String why, Duration retryAfter) -> {
          return Step.failed(Optional.empty(), why, retryAfter);
        }
        case Page.Expired<O>(String why) -> {
          tally.expiries.increment();
          return Step.failed(Optional.empty(), why, Duration.ZERO);
        }
        case Page.Items<O> page -> {
          page.items().forEach(o -> trimmed(o).ifPresent(t -> fresh.put(uid(o), t)));
          token = page.next();
          if (token.isEmpty()) {
            deliver(known.replace(fresh));
            tally.lists.increment();
            synced.countDown();
            return Step.at(page.version());
          }
        }
      }
    }
  }

  private Step watch(String version) {
    Duration lifetime = lifetime();
    return switch (source.watch(version, lifetime)) {
      case Watch.Failed<O>(String why, Duration retryAfter) ->
          Step.failed(Optional.of(version), why, retryAfter);
      case Watch.Expired<O>(String why) -> expired(why);
      case Watch.Open<O>(WatchReader<O> reader) -> {
        long begun = ticks.now();
        tally.watches.increment();
        Future<?> watchdog = guard(reader, begun + lifetime.toNanos());
        current = Optional.of(reader);
        try (reader) {
          yield follow(reader, version, begun, lifetime);
        } finally {
          watchdog.cancel(false);
          watchedAt = ticks.now();
          current = Optional.empty();
        }
      }
    };
  }

  /** A tenth is taken off by chance, so that the watches of many nodes don't all end together. */
  private Duration lifetime() {
    long whole = Math.min(patience.watch().toNanos(), Math.max(1, relistIn().toNanos()));
    return Duration.ofNanos(whole - ticks.chance().nextLong(whole / 10 + 1));
  }

  /** Closes a watch on which nothing is heard, or which outlives what we asked for. */
  private Future<?> guard(WatchReader<O> reader, long end) {
    Runnable look =
        () -> {
          boolean silent = ticks.since(reader.heardAt()).compareTo(patience.silence()) > 0;
          if (silent || ticks.now() - end > patience.silence().toNanos()) {
            reader.close();
          }
        };
    long every = Math.max(1, patience.silence().toNanos() / LOOKS_PER_SILENCE);
    try {
      return deadlines.scheduleWithFixedDelay(look, every, every, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException clusterClosed) {
      reader.close();
      return CompletableFuture.completedFuture(null);
    }
  }

  private Step follow(WatchReader<O> reader, String version, long begun, Duration lifetime) {
    String reached = version;
    heard = false;
    while (!closed && !relistWanted) {
      switch (reader.next()) {
        case WatchItem.Put<O>(O object, String at) -> {
          changed(object);
          reached = at;
        }
        case WatchItem.Removed<O>(O object, String at) -> {
          heard();
          tally.events.increment();
          known.remove(uid(object)).ifPresent(this::deliver);
          reached = at;
        }
        case WatchItem.Bookmark<O>(String at) -> {
          heard();
          reached = at;
        }
        case WatchItem.Expired<O>(String why) -> {
          return expired(why);
        }
        case WatchItem.Garbage<O>(String why) -> {
          return Step.failed(Optional.empty(), why, Duration.ZERO);
        }
        case WatchItem.Ended<O> end -> {
          return ended(reached, end, begun, lifetime);
        }
      }
    }
    return relistWanted ? Step.nowhere() : Step.at(reached);
  }

  private void changed(O object) {
    heard();
    tally.events.increment();
    Optional<T> now = trimmed(object);
    String uid = uid(object);
    Optional<FeedEvent<T>> event = now.isPresent() ? known.put(uid, now.get()) : known.remove(uid);
    event.ifPresent(this::deliver);
  }

  private Step expired(String why) {
    tally.expiries.increment();
    return Step.failed(Optional.empty(), why, Duration.ZERO);
  }

  /**
   * A clean end is what we asked for, unless it comes at once and with nothing: then we would spin.
   * A watch that stayed silent to the watchdog's end may wait for a version that a restored server
   * will not reach for long: only a list finds out.
   */
  private Step ended(String reached, WatchItem.Ended<O> end, long begun, Duration lifetime) {
    if (closed || relistWanted) {
      return Step.nowhere();
    }
    Duration lasted = ticks.since(begun);
    if (lasted.compareTo(WORKED) > 0 || lasted.compareTo(lifetime.dividedBy(2)) > 0) {
      worked();
      if (end.clean()) {
        return Step.at(reached);
      }
    }
    if (end.clean() && heard) {
      return Step.at(reached);
    }
    boolean silent = !heard && lasted.compareTo(patience.silence()) > 0;
    return Step.failed(silent ? Optional.empty() : Optional.of(reached), end.why(), Duration.ZERO);
  }

  private void heard() {
    heard = true;
    worked();
  }

  private void worked() {
    if (troubled) {
      troubled = false;
      LOG.atInfo().addKeyValue("feed", source.label()).log("watch restored");
    }
    backOff.reset();
  }

  private void rest(String why, Duration atLeast) {
    tally.failures.increment();
    Duration wait = backOff.next();
    if (wait.compareTo(atLeast) < 0) {
      wait = atLeast;
    }
    var log = troubled ? LOG.atDebug() : LOG.atWarn();
    troubled = true;
    log.addKeyValue("feed", source.label())
        .addKeyValue("why", why)
        .addKeyValue("retryMillis", wait.toMillis())
        .log("list or watch failed");
    try {
      if (wake.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS)) {
        wake.drainPermits();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * A trim that throws leaves what was known: forgetting a pod that is there would free its memory.
   */
  private Optional<T> trimmed(O object) {
    try {
      return trim.apply(object);
    } catch (RuntimeException fault) {
      tally.trimFaults.increment();
      LOG.atError()
          .addKeyValue("feed", source.label())
          .addKeyValue("object", object.getMetadata().getName())
          .setCause(fault)
          .log("object could not be trimmed");
      return known.find(uid(object));
    }
  }

  private void deliver(FeedEvent<T> event) {
    if (closed) {
      return;
    }
    try {
      listener.on(event);
    } catch (RuntimeException fault) {
      tally.listenerFaults.increment();
      LOG.atError()
          .addKeyValue("feed", source.label())
          .setCause(fault)
          .log("listener failed, the watch goes on");
    }
  }

  private static String uid(HasMetadata object) {
    return object.getMetadata().getUid();
  }

  boolean closed() {
    return closed;
  }

  @Override
  public boolean synced() {
    return synced.getCount() == 0;
  }

  @Override
  public boolean awaitSynced(Duration deadline) throws InterruptedException {
    return synced.await(deadline.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public Duration blindFor() {
    return current.isPresent() ? Duration.ZERO : ticks.since(watchedAt);
  }

  @Override
  public void relist() {
    relistWanted = true;
    current.ifPresent(WatchReader::close);
    wake.release();
  }

  @Override
  public FeedCounts counts() {
    return tally.counts();
  }

  @Override
  public void close() {
    closed = true;
    current.ifPresent(WatchReader::close);
    wake.release();
    if (Thread.currentThread() == thread) {
      return;
    }
    thread.interrupt();
    try {
      if (!thread.join(CLOSE_WAIT)) {
        LOG.atWarn().addKeyValue("feed", source.label()).log("listener still busy after close");
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
