package io.gpumem.platform.cluster.fake;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The open watches. Each runs on its request's thread and reads the store's history at its own
 * pace, so there is no queue to fill; one that falls behind the history is told 410.
 */
final class WatchHub {

  /** How soon an open watch notices that it is to end. */
  private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();

  private final ObjectStore store;
  private final LongSupplier nanoTime;
  private final Duration bookmarkEvery;
  private final Set<OpenWatch> open = ConcurrentHashMap.newKeySet();
  private final List<DelayRule> delays = new CopyOnWriteArrayList<>();
  private final AtomicLong begun = new AtomicLong();
  private volatile boolean closed;

  WatchHub(ObjectStore store, Duration bookmarkEvery, LongSupplier nanoTime) {
    this.store = store;
    this.bookmarkEvery = bookmarkEvery;
    this.nanoTime = nanoTime;
  }

  private record DelayRule(
      Predicate<WatchQuery> watch, Predicate<JsonNode> object, Duration delay) {}

  /** Delays matching events of matching watches, until the result is run. */
  Runnable delay(Predicate<WatchQuery> watch, Predicate<JsonNode> object, Duration delay) {
    DelayRule rule = new DelayRule(watch, object, delay);
    delays.add(rule);
    return () -> {
      delays.remove(rule);
      store.nudge();
    };
  }

  /** Writes this text, as it is, into every open watch. */
  void write(String raw) {
    open.forEach(w -> w.raw.add(raw));
    store.nudge();
  }

  /** Ends every open watch with the event that says its place in the history is gone. */
  void expire() {
    open.forEach(w -> w.expired = true);
    store.nudge();
  }

  long begunCount() {
    return begun.get();
  }

  int openCount() {
    return open.size();
  }

  void close() {
    closed = true;
    store.nudge();
  }

  /** Why a watch can't begin there, if it can't. */
  Optional<Refusal> refusal(WatchQuery query) throws InterruptedException {
    if (query.from() == 0) {
      return Optional.empty();
    }
    return store.changesAfter(query.from(), 0) instanceof ObjectStore.Since.Forgotten forgotten
        ? Optional.of(tooOld(forgotten.asked(), forgotten.oldest()))
        : Optional.empty();
  }

  private static Refusal tooOld(long asked, long oldest) {
    return Refusal.expired("too old resource version: %d (%d)".formatted(asked, oldest));
  }

  /** Serves one watch until it ends; the caller closes the stream. */
  void serve(WatchQuery query, OutputStream out) throws IOException, InterruptedException {
    OpenWatch watch = new OpenWatch(query, out);
    open.add(watch);
    begun.incrementAndGet();
    try {
      watch.run();
    } finally {
      open.remove(watch);
    }
  }

  private final class OpenWatch {

    private final WatchQuery query;
    private final Predicate<JsonNode> selection;
    private final OutputStream out;
    private final Queue<String> raw = new ConcurrentLinkedQueue<>();
    private volatile boolean expired;
    private long cursor;
    private long bookmarkAt;

    OpenWatch(WatchQuery query, OutputStream out) {
      this.query = query;
      this.selection = query.selection();
      this.out = out;
    }

    void run() throws IOException, InterruptedException {
      out.flush();
      cursor = query.from() == 0 ? present() : query.from();
      long end = nanoTime.getAsLong() + query.timeout().toNanos();
      bookmarkAt = nanoTime.getAsLong() + bookmarkEvery.toNanos();
      while (!closed && nanoTime.getAsLong() < end) {
        for (String text = raw.poll(); text != null; text = raw.poll()) {
          out.write(text.getBytes(StandardCharsets.UTF_8));
          out.flush();
        }
        if (expired) {
          error(tooOld(cursor, store.revision()));
          return;
        }
        switch (store.changesAfter(cursor, POLL_NANOS)) {
          case ObjectStore.Since.Forgotten(long asked, long oldest) -> {
            error(tooOld(asked, oldest));
            return;
          }
          case ObjectStore.Since.Changes(List<Change> changes, long upTo) -> {
            for (Change change : changes) {
              show(change);
            }
            cursor = upTo;
          }
        }
        bookmark();
      }
    }

    private long present() throws IOException {
      ObjectStore.Snapshot now = store.snapshot(query.kind());
      for (ObjectNode object : now.objects()) {
        if (selection.test(object)) {
          event("ADDED", object);
        }
      }
      return now.revision();
    }

    private void show(Change change) throws IOException, InterruptedException {
      if (change.kind() != query.kind()) {
        return;
      }
      Optional<Change.Shown> shown = change.shownTo(selection);
      if (shown.isPresent()) {
        hold(change, shown.get().object());
        event(shown.get().type(), shown.get().object());
      }
    }

    /** Later events wait behind a delayed one: a watch never changes the order. */
    private void hold(Change change, ObjectNode object) throws InterruptedException {
      while (!closed && !expired) {
        Duration delay =
            delays.stream()
                .filter(rule -> rule.watch().test(query) && rule.object().test(object))
                .map(DelayRule::delay)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        long left = change.atNanos() + delay.toNanos() - nanoTime.getAsLong();
        if (left <= 0) {
          return;
        }
        store.pause(Math.min(left, POLL_NANOS));
      }
    }

    private void bookmark() throws IOException {
      if (query.bookmarks() && nanoTime.getAsLong() >= bookmarkAt) {
        bookmarkAt = nanoTime.getAsLong() + bookmarkEvery.toNanos();
        ObjectNode mark = Json.object();
        mark.put("kind", query.kind().kind()).put("apiVersion", query.kind().apiVersion());
        mark.putObject("metadata").put("resourceVersion", Long.toString(cursor));
        event("BOOKMARK", mark);
      }
    }

    private void error(Refusal refusal) throws IOException {
      event("ERROR", refusal.status());
    }

    private void event(String type, ObjectNode object) throws IOException {
      ObjectNode event = Json.object().put("type", type).set("object", object);
      out.write((event + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    }
  }
}
