package io.gpumem.plugin.allocate;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Answers the kubelet's two allocation calls from memory. Safe for any thread: the state is behind
 * a lock that is held only for computations in memory, never across a call to NVML, the API server
 * or the kubelet.
 *
 * <p>Two waits are bounded and counted. A preferred call can arrive before our watch shows the
 * pod's reservation: with no outstanding reservation of its size known and the watch alive, it
 * waits a moment for one. And the second guard asks the kubelet about an ID that it offered as free
 * though another pod was last known to hold it.
 */
public final class Allocator {

  /** The kubelet admits pods one by one and sets no deadline of its own. */
  private static final Duration HOLDER_LIMIT = Duration.ofMillis(100);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition podsChanged = lock.newCondition();
  private final NodeState state;
  private final Matching matching;
  private final Duration reservationWait;
  private final BooleanSupplier watchAlive;
  private final HolderCheck holders;
  private final LongSupplier nanos;
  private final Waiting waiting;
  private final Consumer<Event> events;

  /** How a preferred call waits for the books to change. */
  @FunctionalInterface
  public interface Waiting {

    /** As a thread waits: another one changes the books. */
    Waiting ON_THREAD =
        (changed, nanos) -> {
          long unused = changed.awaitNanos(nanos);
        };

    /**
     * Returns when the books may have changed, or the time is over, or for no reason.
     *
     * @param changed signalled after each change, under the lock that the caller holds
     */
    void await(Condition changed, long nanos) throws InterruptedException;
  }

  /** Whether calls are matched to outstanding reservations; off only to show what that is for. */
  public enum Matching {
    ON,
    OFF
  }

  /** What the calls came to, for metrics, logs and for whoever reads the kubelet's table next. */
  public sealed interface Event {
    /** A preferred call was answered; {@code basis} says what the answer stands on. */
    record Preferred(int size, String basis, Duration waited) implements Event {}

    /** An Allocate call was granted. */
    record Granted(Map<DeviceUuid, Long> devices) implements Event {}

    /** An Allocate call was refused. */
    record Refused(String why) implements Event {}

    /** A suspect ID was given all the same: its holder is gone, or the kubelet did not answer. */
    record SuspectAccepted(PodName holder, String why) implements Event {}
  }

  /** The answer to one container's part of an Allocate call. */
  public sealed interface Outcome {
    /** These devices, device to units. */
    record Granted(Map<DeviceUuid, Long> devices) implements Outcome {}

    /** Nothing; the text ends up in the pod's status. */
    record Refused(String why) implements Outcome {}
  }

  /**
   * @param reservationWait how long a preferred call waits for a reservation to show
   * @param watchAlive whether our watch of the node's pods is open
   * @param nanos a monotonic clock
   */
  public Allocator(
      NodeName node,
      Matching matching,
      Duration reservationWait,
      BooleanSupplier watchAlive,
      HolderCheck holders,
      LongSupplier nanos,
      Consumer<Event> events) {
    this(node, matching, reservationWait, watchAlive, holders, nanos, Waiting.ON_THREAD, events);
  }

  /** As the other, with another way to wait. */
  public Allocator(
      NodeName node,
      Matching matching,
      Duration reservationWait,
      BooleanSupplier watchAlive,
      HolderCheck holders,
      LongSupplier nanos,
      Waiting waiting,
      Consumer<Event> events) {
    this.state = new NodeState(node);
    this.matching = matching;
    this.reservationWait = reservationWait;
    this.watchAlive = watchAlive;
    this.holders = holders;
    this.nanos = nanos;
    this.waiting = waiting;
    this.events = events;
  }

  /** Which IDs a container should get: as many as asked, never an error. */
  public List<String> prefer(PreferredCall call) {
    long begun = nanos.getAsLong();
    lock.lock();
    try {
      awaitReservation(call, begun);
      long now = nanos.getAsLong();
      Preference.Choice choice = Preference.choose(preferring(now), call);
      state.picked(call, choice.offered(), choice.ids(), now);
      events.accept(
          new Event.Preferred(call.size(), choice.basis().name(), Duration.ofNanos(now - begun)));
      return choice.ids();
    } finally {
      lock.unlock();
    }
  }

  private Situation preferring(long nowNanos) {
    Situation situation = state.situation(nowNanos);
    return matching == Matching.ON ? situation : situation.withoutPlans();
  }

  private void awaitReservation(PreferredCall call, long begunNanos) {
    long left = matching == Matching.ON ? reservationWait.toNanos() : 0;
    while (left > 0
        && watchAlive.getAsBoolean()
        && !Preference.isForeseen(state.situation(nanos.getAsLong()), call)) {
      try {
        waiting.await(podsChanged, left);
      } catch (InterruptedException stopping) {
        Thread.currentThread().interrupt();
        return;
      }
      left = reservationWait.toNanos() - (nanos.getAsLong() - begunNanos);
    }
  }

  /** Rules on the IDs that the kubelet chose for one container, and remembers what was given. */
  public Outcome allocate(List<String> ids) {
    UnitSet parsed = UnitSet.parsed(ids);
    Ruling ruling = rule(ids, parsed, UnitSet.NONE);
    if (ruling instanceof Ruling.Ask(var suspects)) {
      ruling = ask(suspects).orElseGet(() -> rule(ids, parsed, allOf(suspects)));
    }
    Outcome outcome =
        switch (ruling) {
          case Ruling.Granted(var devices) -> new Outcome.Granted(devices);
          case Ruling.Refused(String why) -> new Outcome.Refused(why);
          case Ruling.Ask(var suspects) ->
              new Outcome.Refused(
                  "the kubelet gave units that were given a moment ago: " + allOf(suspects));
        };
    switch (outcome) {
      case Outcome.Granted(var devices) -> events.accept(new Event.Granted(devices));
      case Outcome.Refused(String why) -> events.accept(new Event.Refused(why));
    }
    return outcome;
  }

  /**
   * Takes a grant back that never reached the kubelet, because another container of the same call
   * was refused.
   */
  public void withdraw(List<String> ids) {
    change(() -> state.withdraw(UnitSet.parsed(ids)));
  }

  /** Rules and, when it grants, remembers it in the same step: two calls can come at once. */
  private Ruling rule(List<String> ids, UnitSet parsed, UnitSet cleared) {
    return locked(
        () -> {
          long now = nanos.getAsLong();
          UnitSet offered = state.offeredWith(parsed).minus(cleared);
          Ruling ruling = Verification.rule(state.situation(now), ids, offered);
          if (ruling instanceof Ruling.Granted
              && !cleared.isEmpty()
              && state.isClaimed(cleared, parsed.size())) {
            return new Ruling.Refused(
                "the kubelet gave units that were given to another pod a moment ago");
          }
          if (ruling instanceof Ruling.Granted) {
            state.answered(parsed, now);
          }
          return ruling;
        });
  }

  private static UnitSet allOf(Map<PodName, UnitSet> suspects) {
    return suspects.values().stream().reduce(UnitSet.NONE, UnitSet::plus);
  }

  private Situation situation() {
    return locked(() -> state.situation(nanos.getAsLong()));
  }

  /** Refuses when a suspect's holder still has an ID of the set, or lost it with the table. */
  private Optional<Ruling> ask(Map<PodName, UnitSet> suspects) {
    long end = nanos.getAsLong() + HOLDER_LIMIT.toNanos();
    for (Map.Entry<PodName, UnitSet> suspect : suspects.entrySet()) {
      PodName holder = suspect.getKey();
      long begun = nanos.getAsLong();
      Duration limit = Duration.ofNanos(Math.max(0, end - begun));
      switch (holders.ask(holder, limit)) {
        case HolderCheck.Held.Listed(Reading reading) -> {
          shown(reading);
          boolean lost = reading.containers().isEmpty() && isLost(holder);
          if (lost || !suspect.getValue().isDisjoint(reading.ids())) {
            return Optional.of(
                new Ruling.Refused(
                    "the kubelet gave units that pod "
                        + holder
                        + " still holds: it sold them twice"));
          }
          events.accept(new Event.SuspectAccepted(holder, "no longer shown"));
        }
        case HolderCheck.Held.Gone() -> {
          notShown(holder, begun);
          events.accept(new Event.SuspectAccepted(holder, "holder gone"));
        }
        case HolderCheck.Held.Unknown(String why) ->
            events.accept(new Event.SuspectAccepted(holder, why));
      }
    }
    return Optional.empty();
  }

  private boolean isLost(PodName name) {
    return situation().lost().stream().anyMatch(each -> each.pod().equals(name));
  }

  public void inventory(Inventory inventory) {
    change(() -> state.inventory(inventory));
  }

  public void cordoned(Set<DeviceUuid> devices) {
    change(() -> state.cordoned(devices));
  }

  /** What an earlier run of the plugin published. */
  public void published(Allocations before) {
    change(() -> state.published(before));
  }

  /** What the kubelet's own file said at the start: device IDs by pod and container. */
  public void checkpointed(Map<PodUid, Map<String, Set<DeviceId>>> pods) {
    change(() -> state.checkpointed(pods));
  }

  public void podsListed(List<PodFacts> pods) {
    change(() -> state.podsListed(pods, nanos.getAsLong()));
  }

  public void podSeen(PodFacts pod) {
    change(() -> state.podSeen(pod, nanos.getAsLong()));
  }

  public void podGone(PodUid uid) {
    change(() -> state.podGone(uid, nanos.getAsLong()));
  }

  /** The kubelet lists a pod, with these IDs. */
  public void shown(Reading reading) {
    change(() -> state.shown(reading, nanos.getAsLong()));
  }

  /** The link with the kubelet broke: it may have been restarted, and may have lost its table. */
  public void tableMayBeLost() {
    change(() -> state.tableMayBeLost(nanos.getAsLong()));
  }

  /** The kubelet knows no pod of this name. */
  public void notShown(PodName name, long begunNanos) {
    change(() -> state.notShown(name, begunNanos));
  }

  /** The books as they are now. */
  public NodeState.View view() {
    return locked(state::view);
  }

  public Inventory inventory() {
    return locked(state::inventory);
  }

  public Set<DeviceId> heldIds() {
    return locked(state::heldIds);
  }

  /** Pods whose place in the kubelet's table is not known completely. */
  public Set<PodName> unsettledNames() {
    return locked(state::unsettledNames);
  }

  /** All names that the kubelet's table may show. */
  public Set<PodName> allNames() {
    return locked(state::allNames);
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      podsChanged.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private <T> T locked(Supplier<T> read) {
    lock.lock();
    try {
      return read.get();
    } finally {
      lock.unlock();
    }
  }
}
