package io.gpumem.platform.cluster.fake;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import tools.jackson.databind.node.ObjectNode;

/**
 * The objects, one revision counter for all, and the last changes. Trees inside are never changed:
 * writers get a copy and readers don't write. Any thread.
 */
final class ObjectStore {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final TreeMap<ObjectKey, ObjectNode> objects = new TreeMap<>();
  private final Change[] ring;
  private final LongSupplier nanoTime;
  private long revision = 1;
  private long forgottenTo = 1;

  /**
   * An empty store.
   *
   * @param historySize how many changes are remembered for watches
   */
  ObjectStore(int historySize, LongSupplier nanoTime) {
    this.ring = new Change[historySize];
    this.nanoTime = nanoTime;
  }

  /** All objects of a kind at one revision. */
  record Snapshot(long revision, List<ObjectNode> objects) {}

  /** What happened after a revision. */
  sealed interface Since {
    /** These changes, perhaps none yet. */
    record Changes(List<Change> changes, long upTo) implements Since {}

    /** The history doesn't reach back so far. */
    record Forgotten(long asked, long oldest) implements Since {}
  }

  ObjectNode create(ObjectKey key, ObjectNode object) {
    lock.lock();
    try {
      if (objects.containsKey(key)) {
        throw Refusal.alreadyExists(key);
      }
      return put(key, Optional.empty(), object.deepCopy());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Replaces the object by what the function makes of a copy of it; empty removes it. A result
   * equal to what is there is no write, as on a real server.
   */
  ObjectNode update(ObjectKey key, Function<ObjectNode, Optional<ObjectNode>> change) {
    lock.lock();
    try {
      ObjectNode before = objects.get(key);
      if (before == null) {
        throw Refusal.notFound(key);
      }
      Optional<ObjectNode> after = change.apply(before.deepCopy());
      if (after.isEmpty()) {
        return remove(key, before);
      }
      return after.get().equals(before) ? before : put(key, Optional.of(before), after.get());
    } finally {
      lock.unlock();
    }
  }

  private ObjectNode put(ObjectKey key, Optional<ObjectNode> before, ObjectNode after) {
    revision++;
    Json.child(after, "metadata").put("resourceVersion", Long.toString(revision));
    objects.put(key, after);
    remember(new Change(revision, key.kind(), before, after, false, nanoTime.getAsLong()));
    return after;
  }

  private ObjectNode remove(ObjectKey key, ObjectNode before) {
    revision++;
    objects.remove(key);
    ObjectNode last = before.deepCopy();
    Json.child(last, "metadata").put("resourceVersion", Long.toString(revision));
    remember(
        new Change(revision, key.kind(), Optional.of(before), last, true, nanoTime.getAsLong()));
    return last;
  }

  private void remember(Change change) {
    ring[(int) (change.revision() % ring.length)] = change;
    changed.signalAll();
  }

  Optional<ObjectNode> find(ObjectKey key) {
    lock.lock();
    try {
      return Optional.ofNullable(objects.get(key));
    } finally {
      lock.unlock();
    }
  }

  Snapshot snapshot(ResourceKind kind) {
    lock.lock();
    try {
      List<ObjectNode> found = new ArrayList<>();
      objects.forEach(
          (key, object) -> {
            if (key.kind() == kind) {
              found.add(object);
            }
          });
      return new Snapshot(revision, found);
    } finally {
      lock.unlock();
    }
  }

  long revision() {
    lock.lock();
    try {
      return revision;
    } finally {
      lock.unlock();
    }
  }

  /** The changes after a revision; waits for one, or for {@link #nudge}, at most so long. */
  @SuppressWarnings("WaitNotInLoop") // Waking early is fine: every caller loops.
  Since changesAfter(long after, long waitNanos) throws InterruptedException {
    lock.lock();
    try {
      if (after >= revision && waitNanos > 0) {
        long _ = changed.awaitNanos(waitNanos);
      }
      return since(after);
    } finally {
      lock.unlock();
    }
  }

  /** The changes after a revision, as far as there are any now. */
  Since since(long after) {
    lock.lock();
    try {
      long oldest = Math.max(forgottenTo, revision - ring.length);
      if (after < oldest) {
        return new Since.Forgotten(after, oldest);
      }
      List<Change> found = new ArrayList<>();
      for (long r = after + 1; r <= revision; r++) {
        found.add(ring[(int) (r % ring.length)]);
      }
      return new Since.Changes(found, Math.max(after, revision));
    } finally {
      lock.unlock();
    }
  }

  /** Waits so long, or until the next change or nudge. */
  @SuppressWarnings("WaitNotInLoop") // As above.
  void pause(long nanos) throws InterruptedException {
    lock.lock();
    try {
      boolean _ = changed.await(nanos, TimeUnit.NANOSECONDS);
    } finally {
      lock.unlock();
    }
  }

  /** Wakes everybody who waits, to look whether it is still wanted. */
  void nudge() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** From now on no watch can begin in the past. */
  void forget() {
    lock.lock();
    try {
      forgottenTo = revision;
    } finally {
      lock.unlock();
    }
  }
}
