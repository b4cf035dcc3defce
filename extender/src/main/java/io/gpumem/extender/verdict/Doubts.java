package io.gpumem.extender.verdict;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.extender.verdict.PodLookup.PodSource;
import io.gpumem.extender.view.Assumption;
import io.gpumem.extender.view.ClusterView;
import io.gpumem.platform.cluster.Reading;
import io.gpumem.platform.life.Part;
import io.gpumem.platform.log.LogKeys;
import io.gpumem.platform.time.Cancellable;
import io.gpumem.platform.time.Time;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resolves assumptions that no watch resolves: it reads the pod, consistently, and believes that.
 * Without it a Binding that was lost on its way would take its room for ever.
 */
public final class Doubts implements Part {

  /**
   * After an unanswered Binding, before asking. A request that was sent and given up can still be
   * committed; the API server gives its own writes up within this time of the client's leaving.
   */
  static final Duration AFTER_DOUBT = Duration.ofSeconds(5);

  /** After a Binding that was taken, and should have been on the watch long ago. */
  static final Duration AFTER_CERTAINTY = Duration.ofSeconds(60);

  private static final Duration ROUND = Duration.ofSeconds(1);

  /** For one read: a server that takes longer is as good as away, and is asked again. */
  private static final Duration READ = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(Doubts.class);

  private final ClusterView view;
  private final PodSource source;
  private final Time time;
  private final Executor executor;
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile boolean stopped;
  private volatile @Nullable Cancellable next;

  public Doubts(ClusterView view, PodSource source, Time time) {
    this(view, source, time, round -> Thread.ofVirtual().name("doubts").start(round));
  }

  /**
   * @param executor runs the rounds, which wait for the API server
   */
  public Doubts(ClusterView view, PodSource source, Time time, Executor executor) {
    this.view = view;
    this.source = source;
    this.time = time;
    this.executor = executor;
  }

  @Override
  public void start() {
    scheduleNext();
  }

  @Override
  public void stop() {
    stopped = true;
    Cancellable waiting = next;
    if (waiting != null) {
      waiting.cancel();
    }
  }

  private void scheduleNext() {
    if (!stopped) {
      next = time.schedule(ROUND, this::beginRound);
    }
  }

  /** The timer's thread must not wait for the API server; one round at a time. */
  private void beginRound() {
    scheduleNext();
    boolean anyDue = view.snapshot().assumptions().stream().anyMatch(this::isDue);
    if (anyDue && busy.compareAndSet(false, true)) {
      executor.execute(
          () -> {
            try {
              round();
            } finally {
              busy.set(false);
            }
          });
    }
  }

  /** Asks about every assumption that is due. */
  void round() {
    for (Assumption assumption : view.snapshot().assumptions()) {
      if (!stopped && isDue(assumption)) {
        resolve(assumption);
      }
    }
  }

  private boolean isDue(Assumption assumption) {
    Duration patience =
        switch (assumption.state()) {
          case DOUBTFUL -> AFTER_DOUBT;
          case CERTAIN, IN_FLIGHT -> AFTER_CERTAINTY;
        };
    return time.monotonicNanos() - assumption.sinceNanos() > patience.toNanos();
  }

  private void resolve(Assumption assumption) {
    PodFacts assumed = assumption.bound();
    String finding =
        switch (source.read(assumed.name().namespace(), assumed.name().name(), READ)) {
          case Reading.Found<PodFacts>(PodFacts pod) when !pod.uid().equals(assumed.uid()) -> {
            view.forget(assumption);
            yield "gone";
          }
          case Reading.Found<PodFacts>(PodFacts pod) when pod.node().isPresent() -> {
            view.settle(pod);
            yield "bound";
          }
          case Reading.Found<PodFacts>(var _) -> {
            view.forget(assumption);
            yield "unbound";
          }
          case Reading.Absent<PodFacts>() -> {
            view.forget(assumption);
            yield "gone";
          }
          case Reading.Unread<PodFacts>(var _) -> "no answer";
        };
    log.atInfo()
        .addKeyValue(LogKeys.POD, assumed.name())
        .addKeyValue(LogKeys.NODE, assumption.node())
        .addKeyValue("finding", finding)
        .log("assumption checked");
  }
}
