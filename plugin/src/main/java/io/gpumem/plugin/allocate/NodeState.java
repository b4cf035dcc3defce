package io.gpumem.plugin.allocate;

import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Everything the plugin knows of its node: devices, pods, what the kubelet showed and what we
 * answered since. Mutable, not thread-safe, no clock of its own: the {@link Allocator} owns it and
 * hands the time in. A restart begins with an empty one and the same books follow, for all of it
 * can be read again. What follows from it is reckoned once after a change, when it is first asked.
 */
public final class NodeState {

  private final NodeName node;
  private Inventory inventory = Inventory.EMPTY;
  private Set<DeviceUuid> cordoned = Set.of();
  private final Map<PodUid, PodFacts> pods = new LinkedHashMap<>();
  private final Map<PodUid, Long> seenNanos = new HashMap<>();
  private final Table table = new Table();
  private final Answers answers = new Answers();
  private final Earlier earlier = new Earlier();
  private final Picks picks = new Picks();
  private Optional<Reckoning> reckoning = Optional.empty();

  /** The newest time that was handed in: what happens without one happened no earlier. */
  private long newestNanos = Long.MIN_VALUE;

  public NodeState(NodeName node) {
    this.node = node;
  }

  /** What is published of the node, and the books that decisions are made from. */
  public record View(NodeFacts facts, NodeBooks books, NodeBooks effective) {}

  void inventory(Inventory now) {
    inventory = now;
    reckoning = Optional.empty();
  }

  void cordoned(Set<DeviceUuid> now) {
    cordoned = Set.copyOf(now);
    reckoning = Optional.empty();
  }

  /** What an earlier run of the plugin published. */
  void published(Allocations before) {
    earlier.published(before);
    reckoning = Optional.empty();
  }

  /** What the kubelet's own file said at the start, by pod and container. */
  void checkpointed(Map<PodUid, Map<String, Set<DeviceId>>> pods) {
    earlier.checkpointed(pods);
    reckoning = Optional.empty();
  }

  Inventory inventory() {
    return inventory;
  }

  /** A whole list of the node's pods: those that we did not know come in the order of creation. */
  void podsListed(List<PodFacts> listed, long nowNanos) {
    Set<PodUid> kept = new HashSet<>();
    listed.forEach(pod -> kept.add(pod.uid()));
    List.copyOf(pods.keySet()).stream().filter(uid -> !kept.contains(uid)).forEach(this::podGone);
    listed.stream()
        .sorted(Comparator.comparingLong(PodFacts::createdMillis).thenComparing(PodFacts::uid))
        .forEach(pod -> podSeen(pod, nowNanos));
    listed.forEach(table::listed);
    noteShown();
    changed(nowNanos);
  }

  /** A pod of this node as the watch shows it; a new one is last in the order. */
  void podSeen(PodFacts pod, long nowNanos) {
    pods.put(pod.uid(), pod);
    seenNanos.putIfAbsent(pod.uid(), nowNanos);
    changed(nowNanos);
  }

  void podGone(PodUid uid, long nowNanos) {
    podGone(uid);
    changed(nowNanos);
  }

  private void podGone(PodUid uid) {
    PodFacts pod = pods.remove(uid);
    seenNanos.remove(uid);
    earlier.gone(uid);
    if (pod != null) {
      answers.gone(pod, table);
      table.ended(uid, pod.name());
    }
    reckoning = Optional.empty();
  }

  /** The kubelet lists a pod of this name. */
  void shown(Reading reading, long nowNanos) {
    Optional<PodFacts> live = podNamed(reading.name());
    long seen = live.map(pod -> seenNanos.getOrDefault(pod.uid(), nowNanos)).orElse(nowNanos);
    table.shown(reading, live, seen);
    if (live.isEmpty()) {
      table.forget(reading.name());
    }
    noteShown();
    changed(nowNanos);
  }

  /** The kubelet may have been restarted, and may have lost its table. */
  void tableMayBeLost(long nowNanos) {
    table.mayBeLost(nowNanos);
    reckoning = Optional.empty();
  }

  /** The kubelet knows no pod of this name. */
  void notShown(PodName name, long begunNanos) {
    Optional<PodFacts> live = podNamed(name);
    table.absent(name, begunNanos, live);
    if (live.isEmpty()) {
      table.forget(name);
    }
    changed(begunNanos);
  }

  void answered(UnitSet ids, long nowNanos) {
    var served = Served.by(ids.counts(), view().effective().outstanding());
    reckoning()
        .situation()
        .ownLost(ids)
        .flatMap(lost -> podNamed(lost.pod()))
        .ifPresent(pod -> earlier.regained(pod.uid()));
    Optional<PodFacts> reuser = reuser(ids);
    table.given(ids);
    picks.answered(ids);
    answers.given(ids, served, reuser, nowNanos);
    reckoning = Optional.empty();
  }

  /** Which pod is being admitted whose init container had one of these IDs: it alone gets them. */
  private Optional<PodFacts> reuser(UnitSet ids) {
    return pods.values().stream()
        .filter(pod -> !answers.init().getOrDefault(pod.uid(), UnitSet.NONE).isDisjoint(ids))
        .filter(pod -> table.allocated(pod).isEmpty())
        .findFirst();
  }

  void withdraw(UnitSet ids) {
    answers.withdraw(ids);
    reckoning = Optional.empty();
  }

  void picked(PreferredCall call, UnitSet offered, List<String> ids, long nowNanos) {
    picks.add(UnitSet.parsed(ids), offered.minus(UnitSet.parsed(call.mustInclude())), nowNanos);
  }

  UnitSet offeredWith(UnitSet ids) {
    return picks.offeredWith(ids);
  }

  /**
   * Whether IDs that were answered and never shown must be another pod's than the one that asks for
   * them now: for each such answer, and for this call of so many units, there is a live pod that
   * waits for as much.
   */
  boolean isClaimed(UnitSet ids, long units) {
    List<Long> waiting = new ArrayList<>(reckoning().waitingUnits());
    boolean claimed = false;
    for (Answer answer : answers.open()) {
      if (!answer.ids().isDisjoint(ids) && !table.shows(answer.ids())) {
        claimed = true;
        if (!waiting.remove((Long) (long) answer.ids().size())) {
          return false;
        }
      }
    }
    return claimed && waiting.contains(units);
  }

  private void noteShown() {
    pods.values().stream()
        .filter(pod -> !table.allocated(pod).isEmpty())
        .forEach(pod -> earlier.shown(pod.uid()));
  }

  private void changed(long nowNanos) {
    newestNanos = Math.max(newestNanos, nowNanos);
    OptionalLong readSince =
        pods.values().stream()
            .mapToLong(pod -> table.readingBegun(pod.name()).orElse(Long.MIN_VALUE))
            .min();
    boolean allRead = readSince.isPresent() && readSince.getAsLong() != Long.MIN_VALUE;
    answers.settle(
        table, pods.values(), allRead ? readSince : OptionalLong.empty(), waiting(), newestNanos);
    reckoning = Optional.empty();
  }

  /** Live pods with a container that the table does not show; an init container never does. */
  private List<Answers.Waiting> waiting() {
    List<Answers.Waiting> waiting = new ArrayList<>();
    for (PodFacts pod : pods.values()) {
      if (table.allocated(pod).size() < pod.demand().containers().size()) {
        waiting.add(
            new Answers.Waiting(
                pod,
                seenNanos.getOrDefault(pod.uid(), newestNanos),
                table.readingBegun(pod.name())));
      }
    }
    return waiting;
  }

  private Optional<PodFacts> podNamed(PodName name) {
    return pods.values().stream().filter(pod -> pod.name().equals(name)).findFirst();
  }

  /** The pods whose place in the table is not known yet, and all names with a reading. */
  Set<PodName> unsettledNames() {
    Set<PodName> names = new HashSet<>();
    Allocations shown = view().facts().allocations();
    for (PodFacts pod : pods.values()) {
      PodAllocation allocation = shown.pods().get(pod.uid());
      boolean complete =
          allocation != null
              && !allocation.holdsNothing()
              && pod.demand().containers().stream()
                  .filter(each -> each.phase() != Phase.INIT)
                  .allMatch(each -> allocation.containers().containsKey(each.container()));
      if (!complete) {
        names.add(pod.name());
      }
    }
    names.addAll(shown.names().keySet());
    return names;
  }

  /** Every name that may be in the table: live pods, and whatever was read before. */
  Set<PodName> allNames() {
    Set<PodName> names = new HashSet<>(table.names());
    pods.values().forEach(pod -> names.add(pod.name()));
    return names;
  }

  View view() {
    return reckoning().view();
  }

  /** The snapshot for one decision. */
  Situation situation(long nowNanos) {
    return reckoning().situation().with(picks.recent(nowNanos));
  }

  /** IDs of a bad device that may be held stay healthy in the list; only free ones turn. */
  Set<DeviceId> heldIds() {
    return reckoning().situation().held();
  }

  private Reckoning reckoning() {
    if (reckoning.isEmpty()) {
      reckoning =
          Optional.of(Reckoning.of(node, inventory, cordoned, pods, table, answers, earlier));
    }
    return reckoning.get();
  }
}
