package io.gpumem.extender.verdict;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.placement.Refusal;
import io.gpumem.core.placement.Verdict;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.ReservationCodec;
import io.gpumem.extender.verdict.BindResult.Failure;
import io.gpumem.extender.view.Assumption;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.extender.view.ClusterView;
import io.gpumem.extender.view.NodeView;
import io.gpumem.platform.cluster.BindOutcome;
import io.gpumem.platform.cluster.PodRef;
import io.gpumem.platform.log.LogKeys;
import io.gpumem.platform.time.Time;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Binds pods. Filter's answer is old by now, so the place is decided again on the newest snapshot,
 * one pod at a time on each node, and counts from that moment on.
 *
 * <pre>
 *   asked --find--> waiting --decide, assume--> in flight --2xx------------> certain, OK
 *     |                |        (node's lock)      |--already there--------> as read back, OK
 *     |                `-- does not fit: failed    |--already elsewhere----> as read back, failed
 *     |                                            |--refused, unreached---> forgotten, failed
 *     |--bound there already: OK                   `--no answer------------> in doubt, failed
 *     |--bound elsewhere: failed
 *     `--asks nothing of ours: posted without a plan
 * </pre>
 *
 * <p>OK is only said when the API server has said that the pod is bound: the scheduler never asks
 * again after an OK. A bind that is repeated while the first is in doubt sends the same plan.
 *
 * <p>Safe from any thread. A call takes at most its deadline, the reads of the API server included.
 */
public final class Bind {

  private static final Logger log = LoggerFactory.getLogger(Bind.class);

  /** With less than this left a Binding would only end in doubt. */
  private static final Duration SHORTEST_POST = Duration.ofMillis(100);

  /** Makes one Binding; see {@code Cluster.bind}. */
  @FunctionalInterface
  public interface Binder {
    BindOutcome bind(PodRef pod, String node, Map<String, String> annotations, Duration deadline);
  }

  private final ClusterView view;
  private final Binder binder;
  private final PodLookup lookup;
  private final Turns turns;
  private final Policy standard;
  private final Keys keys;
  private final Time time;
  private final Duration deadline;
  private final NodeLocks locks = new NodeLocks();

  /**
   * @param filter whose turns are to be kept here too
   * @param deadline for a whole bind; it must be shorter than the scheduler's httpTimeout
   */
  public Bind(
      ClusterView view,
      Binder binder,
      PodLookup lookup,
      Filter filter,
      Keys keys,
      Time time,
      Duration deadline) {
    this.view = view;
    this.binder = binder;
    this.lookup = lookup;
    this.turns = filter.turns();
    this.standard = filter.standard();
    this.keys = keys;
    this.time = time;
    this.deadline = deadline;
  }

  /** Binds, or says why not. */
  public BindResult bind(BindRequest request) throws InterruptedException {
    long due = time.monotonicNanos() + deadline.toNanos();
    return switch (lookup.find(view.snapshot(), request, left(due))) {
      case PodLookup.Found.Waiting(PodFacts pod) -> place(request, pod, due);
      case PodLookup.Found.AsksNothing() -> postWithoutPlan(request, due);
      case PodLookup.Found.Bound(PodFacts pod) -> {
        // Read by us perhaps, and not on the watch yet.
        view.settle(pod);
        yield alreadyBound(request, pod);
      }
      case PodLookup.Found.Gone() -> BindResult.failed(Failure.POD_GONE);
      case PodLookup.Found.Unread() -> BindResult.failed(Failure.UNREACHED);
    };
  }

  /** What the lock covers: from the look at the books until the pod is in them. */
  private BindResult place(BindRequest request, PodFacts pod, long due)
      throws InterruptedException {
    Lock lock = locks.of(request.node());
    if (!lock.tryLock(left(due).toNanos(), TimeUnit.NANOSECONDS)) {
      return BindResult.failed(Failure.TOO_LATE);
    }
    Optional<Assumption> assumed;
    try {
      ClusterSnapshot snapshot = view.snapshot();
      switch (decide(snapshot, request, pod)) {
        case Decision.No(Failure why) -> {
          return BindResult.failed(why);
        }
        case Decision.Yes(Reservation plan) ->
            assumed = view.assume(pod.boundTo(request.node(), plan), left(due));
      }
    } finally {
      lock.unlock();
    }
    return assumed.isPresent()
        ? post(request, assumed.get(), due)
        : BindResult.failed(Failure.TOO_LATE);
  }

  private sealed interface Decision {

    record Yes(Reservation plan) implements Decision {}

    record No(Failure why) implements Decision {}
  }

  private Decision decide(ClusterSnapshot snapshot, BindRequest request, PodFacts pod) {
    Optional<Reservation> sent = planSentBefore(snapshot, request);
    if (sent.isPresent()) {
      return new Decision.Yes(sent.get());
    }
    Optional<NodeView> node = snapshot.node(request.node());
    Optional<Applicant> applicant = Applicant.of(pod, standard);
    if (node.isEmpty()) {
      return new Decision.No(Failure.NO_PLUGIN);
    }
    if (applicant.isEmpty()) {
      return new Decision.No(Failure.BAD_ANNOTATION);
    }
    Closures closures = turns.closures(time.monotonicNanos());
    return switch (Trial.on(node.get(), applicant.get(), closures, standard)) {
      case Verdict.Fits fits -> new Decision.Yes(Trial.plan(node.get(), applicant.get(), fits));
      case Verdict.Refused(Refusal why) ->
          new Decision.No(why == Refusal.UNLIKE ? Failure.UNLIKE : Failure.NO_ROOM);
    };
  }

  /** The first Binding may still be made: a second one must not say anything else. */
  private static Optional<Reservation> planSentBefore(
      ClusterSnapshot snapshot, BindRequest request) {
    return snapshot.assumptions(request.uid()).stream()
        .filter(each -> each.node().equals(request.node()))
        .findFirst()
        .flatMap(each -> each.bound().reservation().understood());
  }

  private BindResult post(BindRequest request, Assumption assumed, long due) {
    boolean answered = false;
    try {
      if (left(due).compareTo(SHORTEST_POST) < 0) {
        view.forget(assumed);
        answered = true;
        return BindResult.failed(Failure.TOO_LATE);
      }
      Reservation plan = assumed.bound().reservation().understood().orElseThrow();
      Map<String, String> annotations = Map.of(keys.reservation(), ReservationCodec.encode(plan));
      BindOutcome outcome =
          binder.bind(ref(request), request.node().text(), annotations, left(due));
      BindResult result = apply(request, assumed, outcome);
      answered = true;
      return result;
    } finally {
      if (!answered) {
        // Only a bug leads here; the Binding may have been made all the same.
        view.doubt(assumed);
      }
    }
  }

  private BindResult apply(BindRequest request, Assumption assumed, BindOutcome outcome) {
    return switch (outcome) {
      case BindOutcome.Bound() -> {
        view.settle(assumed.bound());
        yield bound(assumed.bound());
      }
      case BindOutcome.AlreadyBound(String node, Map<String, String> annotations) -> {
        PodFacts truth = readBack(assumed.bound(), new NodeName(node), annotations);
        view.settle(truth);
        yield alreadyBound(request, truth);
      }
      case BindOutcome.Unknown(String why) -> {
        view.doubt(assumed);
        yield failed(request, Failure.UNKNOWN, why);
      }
      case BindOutcome.Gone(String why) -> forget(request, assumed, Failure.POD_GONE, why);
      case BindOutcome.Refused(int code, String message) ->
          forget(request, assumed, Failure.REFUSED, code + " " + message);
      case BindOutcome.Unreached(String why) -> forget(request, assumed, Failure.UNREACHED, why);
    };
  }

  private BindResult forget(
      BindRequest request, Assumption assumed, Failure failure, String detail) {
    view.forget(assumed);
    return failed(request, failure, detail);
  }

  /** The server's own words go to the log only: they may vary. */
  private static BindResult failed(BindRequest request, Failure failure, String detail) {
    log.atWarn()
        .addKeyValue(LogKeys.POD, request.pod())
        .addKeyValue(LogKeys.NODE, request.node())
        .addKeyValue("detail", detail)
        .log("binding not made");
    return BindResult.failed(failure);
  }

  /** The pod with what stands in the API server: its annotation may be of another process. */
  private PodFacts readBack(PodFacts pod, NodeName node, Map<String, String> annotations) {
    Decoded<Reservation> plan =
        ReservationCodec.decode(Optional.ofNullable(annotations.get(keys.reservation())));
    return new PodFacts(
        pod.uid(),
        pod.name(),
        Optional.of(node),
        Optional.empty(),
        pod.priority(),
        pod.createdMillis(),
        pod.demand(),
        pod.wish(),
        plan);
  }

  private BindResult alreadyBound(BindRequest request, PodFacts pod) {
    boolean here = pod.node().isPresent() && pod.node().get().equals(request.node());
    return here ? bound(pod) : BindResult.failed(Failure.BOUND_ELSEWHERE);
  }

  private static BindResult bound(PodFacts pod) {
    return new BindResult.Bound(pod.reservation().understood());
  }

  private BindResult postWithoutPlan(BindRequest request, long due) {
    if (left(due).compareTo(SHORTEST_POST) < 0) {
      return BindResult.failed(Failure.TOO_LATE);
    }
    return switch (binder.bind(ref(request), request.node().text(), Map.of(), left(due))) {
      case BindOutcome.Bound() -> new BindResult.Bound(Optional.empty());
      case BindOutcome.AlreadyBound(String node, var _) ->
          node.equals(request.node().text())
              ? new BindResult.Bound(Optional.empty())
              : BindResult.failed(Failure.BOUND_ELSEWHERE);
      case BindOutcome.Unknown(String why) -> failed(request, Failure.UNKNOWN, why);
      case BindOutcome.Gone(String why) -> failed(request, Failure.POD_GONE, why);
      case BindOutcome.Refused(int code, String message) ->
          failed(request, Failure.REFUSED, code + " " + message);
      case BindOutcome.Unreached(String why) -> failed(request, Failure.UNREACHED, why);
    };
  }

  private static PodRef ref(BindRequest request) {
    return new PodRef(request.pod().namespace(), request.pod().name(), request.uid().text());
  }

  private Duration left(long due) {
    return Duration.ofNanos(Math.max(0, due - time.monotonicNanos()));
  }
}
