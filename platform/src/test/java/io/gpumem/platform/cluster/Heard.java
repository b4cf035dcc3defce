package io.gpumem.platform.cluster;

import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/** Remembers what a feed said, and waits until it has said enough. */
final class Heard<T> implements FeedListener<T> {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();
  private final List<FeedEvent<T>> events = new ArrayList<>();

  @Override
  public void on(FeedEvent<T> event) {
    lock.lock();
    try {
      events.add(event);
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  List<FeedEvent<T>> all() {
    lock.lock();
    try {
      return List.copyOf(events);
    } finally {
      lock.unlock();
    }
  }

  /** The events once they satisfy this; fails when they don't in time. */
  List<FeedEvent<T>> await(String what, Predicate<List<FeedEvent<T>>> enough)
      throws InterruptedException {
    long left = PATIENCE.toNanos();
    lock.lock();
    try {
      while (!enough.test(List.copyOf(events))) {
        if (left <= 0) {
          return fail("expected " + what + " but heard " + events);
        }
        left = more.awaitNanos(left);
      }
      return List.copyOf(events);
    } finally {
      lock.unlock();
    }
  }

  /** Waits for this event. */
  List<FeedEvent<T>> await(FeedEvent<T> event) throws InterruptedException {
    return await(event.toString(), heard -> heard.contains(event));
  }

  /** Waits until this many lists have come, and gives the last. */
  FeedEvent.Listed<T> awaitList(int count) throws InterruptedException {
    List<FeedEvent.Listed<T>> lists =
        await(count + " lists", heard -> lists(heard).size() >= count).stream()
            .flatMap(e -> e instanceof FeedEvent.Listed<T> l ? List.of(l).stream() : null)
            .toList();
    return lists.get(count - 1);
  }

  private List<FeedEvent.Listed<T>> lists(List<FeedEvent<T>> heard) {
    List<FeedEvent.Listed<T>> lists = new ArrayList<>();
    for (FeedEvent<T> event : heard) {
      if (event instanceof FeedEvent.Listed<T> list) {
        lists.add(list);
      }
    }
    return lists;
  }

  /** Waits on anything else. */
  static void until(String what, Check check) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!check.holds()) {
      if (System.nanoTime() > end) {
        fail("expected " + what);
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  /** Something that comes true. */
  interface Check {
    boolean holds() throws Exception;
  }
}
