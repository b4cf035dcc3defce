package io.gpumem.plugin.allocate;

import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Units;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Everything the plugin knows of its node: devices, pods, what the kubelet showed and what we
 * answered since. Mutable, not thread-safe, no clock of its own: the {@link Allocator} owns it and
 * hands the time in. A restart begins with an empty one and the same books follow, for all of it
 * can be read again.
 */
public final class NodeState {

  /** A reading that began this long after an answer has seen it, or it is gone. */
  static final long ANSWER_SETTLES_NANOS = Duration.ofSeconds(1).toNanos();

  /** How long an answer stands that shows under a name which no pod of our watch has. */
  static final long STRANGER_NANOS = Duration.ofSeconds(10).toNanos();

  private final NodeName node;
  private Inventory inventory = Inventory.EMPTY;
  private Set<DeviceUuid> cordoned = Set.of();
  private Map<PodUid, PodAllocation> published = Map.of();
  private final Map<PodUid, PodFacts> pods = new LinkedHashMap<>();
  private final Map<PodUid, Long> seenNanos = new HashMap<>();
  private final Table table = new Table();
  private final List<Answer> answers = new ArrayList<>();
  private final Map<PodUid, Set<DeviceId>> initHoldings = new HashMap<>();
  private final Picks picks = new Picks();

  public NodeState(NodeName node) {
    this.node = node;
  }

  /** What is published of the node, and the books that decisions are made from. */
  public record View(NodeFacts facts, NodeBooks books, NodeBooks effective) {}

  void inventory(Inventory now) {
    inventory = now;
  }

  void cordoned(Set<DeviceUuid> now) {
    cordoned = Set.copyOf(now);
  }

  /** What an earlier run published: where init holdings are that nothing else shows. */
  void published(Allocations before) {
    published = before.pods();
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
  }

  /** A pod of this node as the watch shows it; a new one is last in the order. */
  void podSeen(PodFacts pod, long nowNanos) {
    pods.put(pod.uid(), pod);
    seenNanos.putIfAbsent(pod.uid(), nowNanos);
    settle();
  }

  void podGone(PodUid uid) {
    PodFacts pod = pods.remove(uid);
    seenNanos.remove(uid);
    initHoldings.remove(uid);
    if (pod != null) {
      table.ended(uid, pod.name());
    }
  }

  /** The kubelet lists a pod of this name. */
  void shown(Reading reading, long nowNanos) {
    Optional<PodFacts> live = podNamed(reading.name());
    long seen = live.map(pod -> seenNanos.getOrDefault(pod.uid(), nowNanos)).orElse(nowNanos);
    table.shown(reading, live, seen);
    if (live.isEmpty()) {
      table.forget(reading.name());
    }
    settle();
  }

  /** The kubelet may have been restarted, and may have lost its table. */
  void tableMayBeLost(long nowNanos) {
    table.mayBeLost(nowNanos);
  }

  /** The kubelet knows no pod of this name. */
  void notShown(PodName name, long begunNanos) {
    Optional<PodFacts> live = podNamed(name);
    table.absent(name, begunNanos, live);
    if (live.isEmpty()) {
      table.forget(name);
    }
    settle();
  }

  void answered(Set<DeviceId> ids, long nowNanos) {
    Optional<Outstanding> served = Served.by(Table.count(ids), view().effective().outstanding());
    Optional<PodUid> reuser = reuser(ids);
    table.given(ids);
    picks.answered(ids);
    answers.removeIf(
        answer ->
            ids.containsAll(answer.ids())
                || (reuser.isPresent() && !Collections.disjoint(answer.ids(), ids)));
    Optional<PodUid> init =
        reuser
            .filter(uid -> !served.map(Outstanding::pod).equals(reuser) || asksInInit(uid, ids))
            .or(() -> served.filter(each -> each.phase() == Phase.INIT).map(Outstanding::pod));
    if (init.isPresent()) {
      Set<DeviceId> all = new HashSet<>(ids);
      all.addAll(initHoldings.getOrDefault(init.get(), Set.of()));
      initHoldings.put(init.get(), Set.copyOf(all));
    } else {
      answers.add(new Answer(ids, nowNanos));
    }
  }

  /** Which pod is being admitted whose init container had one of these IDs: it alone gets them. */
  private Optional<PodUid> reuser(Set<DeviceId> ids) {
    return pods.values().stream()
        .filter(pod -> !Collections.disjoint(initHoldings.getOrDefault(pod.uid(), Set.of()), ids))
        .filter(pod -> table.allocated(pod).isEmpty())
        .map(PodFacts::uid)
        .findFirst();
  }

  void picked(PreferredCall call, List<String> ids, long nowNanos) {
    picks.add(call, ids, nowNanos);
  }

  Set<DeviceId> offeredWith(Set<DeviceId> ids) {
    return picks.offeredWith(ids);
  }

  /**
   * Whether IDs that were answered and never shown must be another pod's than the one that asks for
   * them now: for each such answer, and for this call of so many units, there is a live pod that
   * waits for as much.
   */
  boolean isClaimed(Set<DeviceId> ids, long units) {
    List<Long> waiting = waitingUnits();
    boolean claimed = false;
    for (Answer answer : answers) {
      if (!Collections.disjoint(answer.ids(), ids) && !table.shows(answer.ids())) {
        claimed = true;
        if (!waiting.remove((Long) (long) answer.ids().size())) {
          return false;
        }
      }
    }
    return claimed && waiting.contains(units);
  }

  /** The units of every container that is not in the table. */
  private List<Long> waitingUnits() {
    List<Long> waiting = new ArrayList<>();
    for (PodFacts pod : pods.values()) {
      Set<String> shown = table.allocated(pod).keySet();
      pod.demand().containers().stream()
          .filter(each -> !shown.contains(each.container()))
          .forEach(each -> waiting.add(each.units()));
    }
    return waiting;
  }

  /**
   * Drops answers that the table shows under a pod we know, or should show by now and does not. One
   * that shows under a name of no live pod stays a while: that pod's reservation is late, and until
   * it comes the place that the answer took must not be offered again.
   */
  private void settle() {
    long allReadSince =
        pods.values().stream()
            .mapToLong(pod -> table.readingBegun(pod.name()).orElse(Long.MIN_VALUE))
            .min()
            .orElse(Long.MIN_VALUE);
    answers.removeIf(
        answer -> {
          if (table.showsAs(pods.values(), answer.ids())) {
            return true;
          }
          long limit = table.shows(answer.ids()) ? STRANGER_NANOS : ANSWER_SETTLES_NANOS;
          boolean settled =
              allReadSince != Long.MIN_VALUE && allReadSince - answer.atNanos() >= limit;
          if (settled && !table.shows(answer.ids())) {
            keepAsInitHolding(answer);
          }
          return settled;
        });
  }

  /** What was answered and never shows is what an ordinary init container of some pod holds. */
  private void keepAsInitHolding(Answer answer) {
    if (initHoldings.values().stream().anyMatch(h -> !Collections.disjoint(h, answer.ids()))) {
      return;
    }
    pods.keySet().stream()
        .filter(uid -> !initHoldings.containsKey(uid) && asksInInit(uid, answer.ids()))
        .findFirst()
        .ifPresent(uid -> initHoldings.put(uid, answer.ids()));
  }

  private boolean asksInInit(PodUid uid, Set<DeviceId> ids) {
    PodFacts pod = pods.get(uid);
    return pod != null
        && pod.demand().containers().stream()
            .filter(each -> each.phase() == Phase.INIT)
            .anyMatch(each -> each.units() == ids.size());
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
    NodeFacts facts = new NodeFacts(node, inventory, cordoned, shownAllocations(), true);
    NodeBooks books = NodeBooks.of(facts, pods.values());
    Allocations answered =
        Served.allocations(facts.allocations(), books.outstanding(), answers, table::shows);
    NodeFacts withAnswers =
        new NodeFacts(node, inventory, cordoned, withSurplusLeft(answered), true);
    return new View(facts, books, NodeBooks.of(withAnswers, pods.values()));
  }

  /** A container that was answered is surplus no more: counted as both, it would be there twice. */
  private Allocations withSurplusLeft(Allocations answered) {
    Map<PodUid, PodAllocation> left = new TreeMap<>(answered.pods());
    for (PodFacts pod : pods.values()) {
      if (pod.demand().hasOrdinaryInit()) {
        left.computeIfPresent(
            pod.uid(),
            (uid, held) -> {
              Map<String, Map<DeviceUuid, Long>> containers = held.containers();
              return Table.allocation(pod, containers, initSurplus(pod, containers));
            });
      }
    }
    return new Allocations(left, answered.names());
  }

  /** The kubelet's table as it is published. */
  private Allocations shownAllocations() {
    Map<PodUid, PodAllocation> shown = new TreeMap<>();
    Map<PodName, PodFacts> live = new HashMap<>();
    for (PodFacts pod : pods.values()) {
      live.put(pod.name(), pod);
      Map<String, Map<DeviceUuid, Long>> containers = table.allocated(pod);
      Map<DeviceUuid, Long> init = initSurplus(pod, containers);
      boolean nothing = table.holdsNothing(pod.uid());
      if (!containers.isEmpty() || !init.isEmpty() || nothing) {
        shown.put(pod.uid(), Table.allocation(pod, containers, init));
      }
    }
    return new Allocations(shown, table.unknownHolders(live));
  }

  /** What a pod with an ordinary init request holds beyond what shows, on its one device. */
  private Map<DeviceUuid, Long> initSurplus(
      PodFacts pod, Map<String, Map<DeviceUuid, Long>> containers) {
    if (!pod.demand().hasOrdinaryInit()) {
      return Map.of();
    }
    Map<DeviceUuid, Long> shown = new TreeMap<>();
    containers.values().forEach(devices -> Units.add(shown, devices));
    Set<DeviceId> held = initHoldings.getOrDefault(pod.uid(), Set.of());
    Optional<DeviceUuid> device =
        shown.keySet().stream()
            .findFirst()
            .or(() -> held.stream().map(DeviceId::device).findFirst())
            .or(() -> publishedInit(pod));
    long rest = pod.demand().footprint() - Units.total(shown);
    return device.isEmpty() || rest <= 0 ? Map.of() : Map.of(device.get(), rest);
  }

  private Optional<DeviceUuid> publishedInit(PodFacts pod) {
    return Optional.ofNullable(published.get(pod.uid()))
        .flatMap(before -> before.init().keySet().stream().findFirst());
  }

  /** The snapshot for one decision. */
  Situation situation(long nowNanos) {
    return new Situation(
        inventory,
        cordoned,
        view().effective().outstanding(),
        holders(),
        picks.recent(nowNanos),
        lostAllocations(),
        unseenNames());
  }

  /** Who was last known to hold each ID. */
  private Map<DeviceId, Optional<PodName>> holders() {
    Map<DeviceId, Optional<PodName>> holders = new HashMap<>();
    answers.forEach(answer -> answer.ids().forEach(id -> holders.put(id, Optional.empty())));
    initHoldings.forEach(
        (uid, ids) ->
            ids.forEach(
                id -> holders.put(id, Optional.ofNullable(pods.get(uid)).map(PodFacts::name))));
    table.holders(pods).forEach((id, name) -> holders.put(id, Optional.of(name)));
    return holders;
  }

  /** IDs of a bad device that may be held stay healthy in the list; only free ones turn. */
  Set<DeviceId> heldIds() {
    return Set.copyOf(holders().keySet());
  }

  private List<Situation.LostAllocation> lostAllocations() {
    List<Situation.LostAllocation> lost = new ArrayList<>();
    List<Long> waiting = waitingUnits();
    new TreeMap<>(table.lost())
        .forEach(
            (uid, containers) -> {
              PodFacts pod = pods.get(uid);
              if (pod != null) {
                containers.forEach(
                    (container, ids) ->
                        lost.add(
                            new Situation.LostAllocation(
                                pod.name(), container, ids, waiting.contains((long) ids.size()))));
              }
            });
    return lost;
  }

  private List<PodName> unseenNames() {
    List<PodName> unseen = new ArrayList<>();
    for (PodFacts pod : pods.values()) {
      if (table.allocated(pod).size() < pod.demand().containers().size()) {
        unseen.add(pod.name());
      }
    }
    return unseen;
  }
}
