package io.gpumem.extender.view;

import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.life.Faults;
import io.gpumem.platform.life.Part;
import io.gpumem.platform.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Folds what the watches show and what binds assume into immutable snapshots.
 *
 * <p>One thread of its own is the only writer. It takes all changes that wait, computes only the
 * nodes that they touch, and publishes one snapshot for all of them: a first list of 50,000 pods is
 * one change and one snapshot. Readers take {@link #snapshot()} and never wait.
 *
 * <p>Safe from any thread. An exception in the writer is a bug that leaves the view frozen, so it
 * is fatal for the process. A view {@link #onCallersThread} has no writer: each change is folded by
 * who hands it in, one at a time, for simulations in which one thread plays all.
 */
public final class ClusterView implements Part {

  /** Changes that wait. When it is full a watch waits, which the API server bears for minutes. */
  private static final int MOST_CHANGES = 4_096;

  /** How often one who waits for room looks whether the view has been stopped. */
  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

  private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

  /** One step of the writer, with the time at which it was handed in. */
  private record Change(Consumer<Fold> step, Runnable published, long atNanos) {}

  private final Time time;
  private final ViewMetrics metrics;
  private final Faults faults;
  private final boolean hasWriter;
  private final BlockingQueue<Change> changes = new ArrayBlockingQueue<>(MOST_CHANGES);

  /** Used by the writer alone. */
  private final Fold own = new Fold();

  /** Written by the writer alone. */
  private volatile ClusterSnapshot newest = ClusterSnapshot.EMPTY;

  private final AtomicLong attempts = new AtomicLong();
  private final CountDownLatch podsListed = new CountDownLatch(1);
  private final CountDownLatch nodesListed = new CountDownLatch(1);
  private volatile boolean stopped;
  private volatile @Nullable Thread writer;

  public ClusterView(Time time, ViewMetrics metrics, Faults faults) {
    this(time, metrics, faults, true);
  }

  private ClusterView(Time time, ViewMetrics metrics, Faults faults, boolean hasWriter) {
    this.time = time;
    this.metrics = metrics;
    this.faults = faults;
    this.hasWriter = hasWriter;
  }

  /** A view without a thread of its own; it need not be started. */
  public static ClusterView onCallersThread(Time time, ViewMetrics metrics, Faults faults) {
    return new ClusterView(time, metrics, faults, false);
  }

  @Override
  public void start() {
    writer = Thread.ofPlatform().daemon().name("view").start(this::write);
  }

  @Override
  public void stop() throws InterruptedException {
    stopped = true;
    Thread thread = writer;
    if (thread != null) {
      thread.interrupt();
      boolean unused = thread.join(STOP_LIMIT);
    }
  }

  /** Whether the writer works. */
  public boolean isAlive() {
    Thread thread = writer;
    return thread != null && thread.isAlive();
  }

  /** The newest snapshot. */
  public ClusterSnapshot snapshot() {
    return newest;
  }

  /** Whether a whole list of pods and one of nodes are in the snapshot. */
  public boolean isComplete() {
    return podsListed.getCount() == 0 && nodesListed.getCount() == 0;
  }

  /** Hears the feed of pods; blocks while the view is behind. */
  public void onPods(FeedEvent<PodFacts> event) {
    switch (event) {
      case FeedEvent.Listed<PodFacts>(var all, var _) ->
          hand(fold -> fold.listPods(all), podsListed::countDown);
      case FeedEvent.Appeared<PodFacts>(PodFacts now) -> hand(fold -> fold.putPod(now));
      case FeedEvent.Changed<PodFacts>(PodFacts before, PodFacts now) -> {
        if (!before.uid().equals(now.uid())) {
          hand(fold -> fold.removePod(before.uid()));
        }
        hand(fold -> fold.putPod(now));
      }
      case FeedEvent.Gone<PodFacts>(PodFacts last) -> hand(fold -> fold.removePod(last.uid()));
    }
  }

  /** Hears the feed of nodes; blocks while the view is behind. */
  public void onNodes(FeedEvent<NodeFacts> event) {
    switch (event) {
      case FeedEvent.Listed<NodeFacts>(var all, var _) ->
          hand(fold -> fold.listNodes(all), nodesListed::countDown);
      case FeedEvent.Appeared<NodeFacts>(NodeFacts now) -> hand(fold -> fold.putNode(now));
      case FeedEvent.Changed<NodeFacts>(var _, NodeFacts now) -> hand(fold -> fold.putNode(now));
      case FeedEvent.Gone<NodeFacts>(NodeFacts last) -> hand(fold -> fold.removeNode(last.name()));
    }
  }

  /**
   * Counts a pod on its node from now on: the newest snapshot has it when this returns.
   *
   * @param bound the pod with its node and plan
   * @param deadline for both waits: for room in the queue, and for the writer
   * @return the assumption, to be settled, doubted or forgotten; empty when the writer did not come
   *     to it in time, and then it is withdrawn
   */
  public Optional<Assumption> assume(PodFacts bound, Duration deadline)
      throws InterruptedException {
    long now = time.monotonicNanos();
    long due = now + deadline.toNanos();
    var assumption =
        new Assumption(bound, attempts.incrementAndGet(), false, Assumption.State.IN_FLIGHT, now);
    var published = new CountDownLatch(1);
    var change = change(fold -> fold.assume(assumption), published::countDown);
    if (stopped || !offer(change, deadline)) {
      return Optional.empty();
    }
    if (published.await(due - time.monotonicNanos(), TimeUnit.NANOSECONDS)) {
      return Optional.of(assumption);
    }
    forget(assumption);
    return Optional.empty();
  }

  /** The pod is bound for certain, to the node and with the plan that these facts say. */
  public void settle(PodFacts bound) {
    long now = time.monotonicNanos();
    var certain =
        new Assumption(bound, attempts.incrementAndGet(), false, Assumption.State.CERTAIN, now);
    hand(fold -> fold.settle(certain));
  }

  /** Nobody knows whether the pod is bound there: it goes on counting until somebody does. */
  public void doubt(Assumption assumption) {
    long now = time.monotonicNanos();
    hand(fold -> fold.doubt(assumption, now));
  }

  /** This attempt did not bind the pod there; an earlier one in doubt stays in doubt. */
  public void forget(Assumption assumption) {
    long now = time.monotonicNanos();
    hand(fold -> fold.forget(assumption, now));
  }

  /** Waits until all that was handed in before is in the snapshot; false when time ran out. */
  public boolean settleDown(Duration deadline) throws InterruptedException {
    var published = new CountDownLatch(1);
    return hand(fold -> {}, published::countDown)
        && published.await(deadline.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void hand(Consumer<Fold> step) {
    boolean unused = hand(step, () -> {});
  }

  private boolean hand(Consumer<Fold> step, Runnable published) {
    var change = change(step, published);
    try {
      while (!stopped) {
        if (offer(change, LOOK_AGAIN)) {
          return true;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private boolean offer(Change change, Duration limit) throws InterruptedException {
    if (hasWriter) {
      return changes.offer(change, limit.toNanos(), TimeUnit.NANOSECONDS);
    }
    synchronized (own) {
      fold(own, List.of(change));
    }
    return true;
  }

  private Change change(Consumer<Fold> step, Runnable published) {
    return new Change(step, published, time.monotonicNanos());
  }

  private void write() {
    List<Change> batch = new ArrayList<>();
    try {
      while (!stopped) {
        Change first = changes.poll(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
        if (first != null) {
          batch.add(first);
          changes.drainTo(batch);
          fold(own, batch);
          batch.clear();
        }
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException bug) {
      stopped = true;
      faults.fatal("the view's writer failed", bug);
    }
  }

  private void fold(Fold fold, List<Change> batch) {
    batch.forEach(change -> change.step.accept(fold));
    publish(fold, batch.getFirst());
    batch.forEach(change -> change.published.run());
  }

  private void publish(Fold fold, Change oldest) {
    Fold.Renewal renewal = fold.renew(newest);
    newest = renewal.snapshot();
    long waited = time.monotonicNanos() - oldest.atNanos;
    metrics.published(renewal.snapshot(), renewal.nodes(), Duration.ofNanos(waited));
  }
}
