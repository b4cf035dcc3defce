package io.gpumem.demo.simulation;

import io.gpumem.platform.cluster.Feed;
import io.gpumem.platform.cluster.FeedCounts;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.cluster.FeedListener;
import io.gpumem.platform.cluster.fake.Change;
import io.gpumem.platform.cluster.fake.ResourceKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/**
 * A list and watch with the seed's delays. It gives the events that the real feed gives: by UID,
 * and only when the trimmed value changed; now and then one twice. It can be cut: what happens
 * meanwhile is lost, and a list follows.
 *
 * @param <O> the client's object
 * @param <T> what the listener keeps of it
 */
final class SimFeed<O, T> implements Feed {

  /** How late events come. */
  enum Pace {
    PROMPT(1, 40),
    SLOW(1, 600),
    VERY_SLOW(200, 3_000);

    private final int leastMillis;
    private final int mostMillis;

    Pace(int leastMillis, int mostMillis) {
      this.leastMillis = leastMillis;
      this.mostMillis = mostMillis;
    }
  }

  /** What is watched, and how it is read. */
  record Source<O, T>(
      ResourceKind kind,
      Predicate<JsonNode> selection,
      Function<JsonNode, O> read,
      Function<O, Optional<T>> trim) {}

  private final SimApi api;
  private final SimProcess process;
  private final Source<O, T> source;
  private final FeedListener<T> listener;
  private final Dice dice;
  private Pace pace = Pace.PROMPT;
  private Map<String, T> known = new LinkedHashMap<>();
  private boolean repeats;
  private boolean synced;
  private boolean closed;
  private int watch;
  private long dueNanos;
  private long blindSinceNanos;
  private boolean open;
  private long lists;

  SimFeed(
      SimApi api, SimProcess process, Source<O, T> source, FeedListener<T> listener, Dice dice) {
    this.api = api;
    this.process = process;
    this.source = source;
    this.listener = listener;
    this.dice = dice;
    api.add(this);
    cut(Duration.ZERO);
  }

  void pace(Pace now) {
    pace = now;
  }

  /** From now on some events come twice. */
  void repeats(boolean now) {
    repeats = now;
  }

  /** Ends the watch: what is under way is lost. The next list begins after the pause. */
  void cut(Duration pause) {
    watch++;
    if (open || lists == 0) {
      blindSinceNanos = process.monotonicNanos();
    }
    open = false;
    int begun = watch;
    process.schedule(pause.plus(delay()), () -> list(begun));
  }

  private void list(int begun) {
    if (closed || begun != watch) {
      return;
    }
    if (api.isAway()) {
      process.schedule(dice.millis(200, 1_000), () -> list(begun));
      return;
    }
    Map<String, T> fresh = new LinkedHashMap<>();
    for (JsonNode object : api.all(source.kind())) {
      if (source.selection().test(object)) {
        trimmed(object).ifPresent(value -> fresh.put(uid(object), value));
      }
    }
    List<T> gone = new ArrayList<>();
    known.forEach(
        (uid, value) -> {
          if (!fresh.containsKey(uid)) {
            gone.add(value);
          }
        });
    known = fresh;
    open = true;
    synced = true;
    lists++;
    dueNanos = process.monotonicNanos();
    listener.on(new FeedEvent.Listed<>(List.copyOf(fresh.values()), gone));
  }

  /** Takes a change that has just been written; it is shown later. */
  void offer(Change change) {
    if (!open || closed || change.kind() != source.kind()) {
      return;
    }
    int begun = watch;
    change
        .shownTo(source.selection())
        .ifPresent(
            shown -> {
              dueNanos = Math.max(dueNanos, process.monotonicNanos() + delay().toNanos());
              Duration after = Duration.ofNanos(dueNanos - process.monotonicNanos());
              process.schedule(after, () -> show(shown, begun));
            });
  }

  private void show(Change.Shown shown, int begun) {
    if (closed || begun != watch) {
      return;
    }
    String uid = uid(shown.object());
    Optional<T> now = shown.type().equals("DELETED") ? Optional.empty() : trimmed(shown.object());
    Optional<T> before = Optional.ofNullable(known.get(uid));
    if (now.isPresent()) {
      known.put(uid, now.get());
    } else {
      known.remove(uid);
    }
    event(before, now).ifPresent(this::tell);
  }

  private void tell(FeedEvent<T> event) {
    listener.on(event);
    if (repeats && dice.oneIn(4)) {
      listener.on(event);
    }
  }

  private Optional<FeedEvent<T>> event(Optional<T> before, Optional<T> now) {
    if (now.isEmpty()) {
      return before.map(FeedEvent.Gone::new);
    }
    if (before.isEmpty()) {
      return Optional.of(new FeedEvent.Appeared<>(now.get()));
    }
    return before.equals(now)
        ? Optional.empty()
        : Optional.of(new FeedEvent.Changed<>(before.get(), now.get()));
  }

  private Optional<T> trimmed(JsonNode object) {
    return source.trim().apply(source.read().apply(object));
  }

  private static String uid(JsonNode object) {
    return object.path("metadata").path("uid").asString("");
  }

  private Duration delay() {
    return dice.millis(pace.leastMillis, pace.mostMillis);
  }

  @Override
  public boolean synced() {
    return synced;
  }

  @Override
  public boolean awaitSynced(Duration deadline) {
    return synced;
  }

  @Override
  public Duration blindFor() {
    return open
        ? Duration.ZERO
        : Duration.ofNanos(Math.max(1, process.monotonicNanos() - blindSinceNanos));
  }

  @Override
  public void relist() {
    cut(Duration.ZERO);
  }

  @Override
  public FeedCounts counts() {
    return new FeedCounts(lists, lists, 0, 0, 0, 0, 0);
  }

  @Override
  public void close() {
    closed = true;
    api.remove(this);
  }
}
