package io.gpumem.plugin.allocate;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Units;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * All that follows from one state of the node. Immutable: both allocation calls are answered from
 * it, and it is made anew only when something changed.
 *
 * @param waitingUnits the units of every container that is not in the table
 */
record Reckoning(NodeState.View view, Situation situation, List<Long> waitingUnits) {

  Reckoning {
    waitingUnits = List.copyOf(waitingUnits);
  }

  static Reckoning of(
      NodeName node,
      Inventory inventory,
      Set<DeviceUuid> cordoned,
      Map<PodUid, PodFacts> pods,
      Table table,
      Answers answers,
      Earlier earlier) {
    return new Work(node, inventory, cordoned, pods, table, answers, earlier).done();
  }

  /** One computation: its working state lives only as long as the call. */
  private static final class Work {
    private final NodeName node;
    private final Inventory inventory;
    private final Set<DeviceUuid> cordoned;
    private final Map<PodUid, PodFacts> pods;
    private final Table table;
    private final Answers answers;
    private final Earlier earlier;
    private final Map<PodUid, Map<String, Map<DeviceUuid, Long>>> shown = new HashMap<>();
    private final List<Long> waiting = new ArrayList<>();
    private final List<PodName> unseen = new ArrayList<>();

    Work(
        NodeName node,
        Inventory inventory,
        Set<DeviceUuid> cordoned,
        Map<PodUid, PodFacts> pods,
        Table table,
        Answers answers,
        Earlier earlier) {
      this.node = node;
      this.inventory = inventory;
      this.cordoned = cordoned;
      this.pods = pods;
      this.table = table;
      this.answers = answers;
      this.earlier = earlier;
    }

    Reckoning done() {
      for (PodFacts pod : pods.values()) {
        Map<String, Map<DeviceUuid, Long>> containers = held(pod);
        shown.put(pod.uid(), containers);
        pod.demand().containers().stream()
            .filter(each -> !containers.containsKey(each.container()))
            .forEach(each -> waiting.add(each.units()));
        if (containers.size() < pod.demand().containers().size()) {
          unseen.add(pod.name());
        }
      }
      NodeState.View view = view();
      List<Holder> holders = holders();
      UnitSet held = holders.stream().map(Holder::ids).reduce(UnitSet.NONE, UnitSet::plus);
      Situation situation =
          new Situation(
              inventory,
              cordoned,
              view.effective().outstanding(),
              holders,
              held,
              UnitSet.NONE,
              lost(),
              unseen);
      return new Reckoning(view, situation, waiting);
    }

    /**
     * What the table shows, else what the last run knew: a running pod's devices never leave it.
     */
    private Map<String, Map<DeviceUuid, Long>> held(PodFacts pod) {
      Map<String, Map<DeviceUuid, Long>> shows = table.allocated(pod);
      return shows.isEmpty() ? earlier.containers(pod, inventory) : shows;
    }

    private NodeState.View view() {
      Map<PodName, PodFacts> byName = new HashMap<>();
      pods.values().forEach(pod -> byName.put(pod.name(), pod));
      NodeFacts facts = facts(new Allocations(allocations(Map.of()), table.unknownHolders(byName)));
      NodeBooks books = NodeBooks.of(facts, pods.values());
      if (answers.open().isEmpty()) {
        return new NodeState.View(facts, books, books);
      }
      Served served = Served.of(answers.open(), books.outstanding(), table::shows);
      Allocations withAnswers =
          new Allocations(
              allocations(served.containers()), served.without(facts.allocations().names()));
      return new NodeState.View(facts, books, NodeBooks.of(facts(withAnswers), pods.values()));
    }

    private NodeFacts facts(Allocations allocations) {
      return new NodeFacts(node, inventory, cordoned, allocations, true);
    }

    /** What each pod holds, by what shows and by answers that do not show yet. */
    private Map<PodUid, PodAllocation> allocations(
        Map<PodUid, Map<String, Map<DeviceUuid, Long>>> served) {
      Map<PodUid, PodAllocation> allocations = new HashMap<>();
      for (PodFacts pod : pods.values()) {
        Map<String, Map<DeviceUuid, Long>> containers =
            new TreeMap<>(shown.getOrDefault(pod.uid(), Map.of()));
        containers.putAll(served.getOrDefault(pod.uid(), Map.of()));
        Map<DeviceUuid, Long> init = initSurplus(pod, containers.values());
        if (!containers.isEmpty() || !init.isEmpty() || table.holdsNothing(pod.uid())) {
          allocations.put(pod.uid(), new PodAllocation(pod.name(), containers, init));
        }
      }
      return allocations;
    }

    /** What a pod with an ordinary init request holds beyond what shows, on its one device. */
    private Map<DeviceUuid, Long> initSurplus(
        PodFacts pod, Collection<Map<DeviceUuid, Long>> containers) {
      if (!pod.demand().hasOrdinaryInit()) {
        return Map.of();
      }
      Map<DeviceUuid, Long> sum = new TreeMap<>();
      containers.forEach(devices -> Units.add(sum, devices));
      UnitSet held = initIds(pod);
      Optional<DeviceUuid> device =
          sum.keySet().stream()
              .findFirst()
              .or(() -> held.devices().stream().findFirst())
              .or(() -> earlier.initDevice(pod));
      long rest = pod.demand().footprint() - Units.total(sum);
      return device.isEmpty() || rest <= 0 ? Map.of() : Map.of(device.get(), rest);
    }

    private UnitSet initIds(PodFacts pod) {
      return answers.init().getOrDefault(pod.uid(), UnitSet.NONE).plus(earlier.initIds(pod));
    }

    private List<Holder> holders() {
      List<Holder> holders = table.holders(pods);
      for (PodFacts pod : pods.values()) {
        if (!initIds(pod).isEmpty()) {
          holders.add(new Holder(Optional.of(pod.name()), initIds(pod)));
        }
      }
      answers.open().forEach(each -> holders.add(new Holder(Optional.empty(), each.ids())));
      return holders;
    }

    private List<Situation.LostAllocation> lost() {
      List<Situation.LostAllocation> lost = new ArrayList<>();
      for (PodFacts pod : pods.values()) {
        Map<String, UnitSet> ids = table.lost().getOrDefault(pod.uid(), Map.of());
        ids.forEach((container, each) -> lost.add(lost(pod, container, each.counts(), each)));
        if (table.allocated(pod).isEmpty()
            && table.isListedEmpty(pod.uid())
            && !earlier.isRegained(pod.uid())) {
          earlier
              .containers(pod, inventory)
              .forEach(
                  (container, devices) -> lost.add(lost(pod, container, devices, UnitSet.NONE)));
        }
      }
      return lost;
    }

    private Situation.LostAllocation lost(
        PodFacts pod, String container, Map<DeviceUuid, Long> devices, UnitSet ids) {
      boolean contested = waiting.contains(Units.total(devices));
      return new Situation.LostAllocation(pod.name(), container, devices, ids, contested);
    }
  }
}
