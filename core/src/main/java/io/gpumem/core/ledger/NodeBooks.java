package io.gpumem.core.ledger;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.reservation.Likeness;
import io.gpumem.core.reservation.Request;
import io.gpumem.core.reservation.Slots;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Units;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Everything that follows from a node's facts and the pods bound to it. Plugin and extender compute
 * it by this one function, so that their views cannot drift, and again from nothing after a
 * restart.
 *
 * @param outstanding requests for which a call of Allocate is still to come, in the order of the
 *     pods given and of their containers
 */
public record NodeBooks(
    NodeLedger ledger, List<Outstanding> outstanding, List<Discrepancy> discrepancies) {

  public NodeBooks {
    outstanding = List.copyOf(outstanding);
    discrepancies = List.copyOf(discrepancies);
  }

  /**
   * The books of a node. Total: it takes whatever the world shows.
   *
   * @param pods the pods bound to the node that have not ended; what the kubelet's table says of
   *     others is out of the books at once
   */
  public static NodeBooks of(NodeFacts node, Collection<PodFacts> pods) {
    return new Reckoning(node, pods).books();
  }

  /** One computation: its working state lives only as long as the call. */
  private static final class Reckoning {
    private final NodeFacts node;
    private final List<BoundPod> pods = new ArrayList<>();
    private final List<Discrepancy> discrepancies = new ArrayList<>();

    Reckoning(NodeFacts node, Collection<PodFacts> bound) {
      this.node = node;
      for (PodFacts pod : bound) {
        Optional<PodAllocation> allocation =
            Optional.ofNullable(node.allocations().pods().get(pod.uid()));
        pods.add(new BoundPod(pod, allocation, believed(pod)));
      }
    }

    private Optional<Reservation> believed(PodFacts pod) {
      pod.reservation()
          .problem()
          .ifPresent(why -> note(Discrepancy.Kind.RESERVATION_UNREADABLE, pod.name() + ": " + why));
      Optional<Reservation> found = pod.reservation().understood();
      Optional<Reservation.Distrust> distrust =
          found.flatMap(r -> r.distrust(pod.uid(), node.name(), pod.demand(), node.inventory()));
      distrust.ifPresent(why -> note(kindOf(why), pod.name().toString()));
      return distrust.isPresent() ? Optional.empty() : found;
    }

    private static Discrepancy.Kind kindOf(Reservation.Distrust why) {
      return switch (why) {
        case OTHER_UID -> Discrepancy.Kind.RESERVATION_OTHER_UID;
        case OTHER_NODE -> Discrepancy.Kind.RESERVATION_OTHER_NODE;
        case UNKNOWN_DEVICE -> Discrepancy.Kind.RESERVATION_UNKNOWN_DEVICE;
        case OTHER_AMOUNTS -> Discrepancy.Kind.RESERVATION_OTHER_AMOUNTS;
      };
    }

    private void note(Discrepancy.Kind kind, String subject) {
      discrepancies.add(new Discrepancy(kind, subject));
    }

    NodeBooks books() {
      Map<Request, Map<DeviceUuid, Long>> places = places();
      List<Holding> holdings = new ArrayList<>();
      List<Outstanding> outstanding = new ArrayList<>();
      for (BoundPod pod : pods) {
        Holding holding = pod.holding(request -> placeOf(places, pod, request));
        holdings.add(holding);
        outstanding.addAll(outstanding(pod, places));
        if (holding.unplaced() > 0) {
          note(Discrepancy.Kind.UNPLACED_POD, pod.facts().name().toString());
        }
        if (pod.holdsNothing()) {
          note(Discrepancy.Kind.POD_WITHOUT_DEVICE, pod.facts().name().toString());
        }
      }
      node.allocations()
          .names()
          .forEach(
              (name, devices) -> {
                holdings.add(new Holding(Optional.empty(), name, devices, Map.of(), Map.of(), 0));
                note(Discrepancy.Kind.UNKNOWN_HOLDER, name.toString());
              });
      NodeLedger ledger = NodeLedger.of(node.name(), node.inventory(), node.cordoned(), holdings);
      noteOverUse(ledger);
      return new NodeBooks(ledger, outstanding, discrepancies.stream().sorted().toList());
    }

    /** Where each outstanding request goes, given where the kubelet has put its equals. */
    private Map<Request, Map<DeviceUuid, Long>> places() {
      List<Slots.Settled> settled = new ArrayList<>();
      List<Request> waiting = new ArrayList<>();
      Map<DeviceUuid, Long> taken = new TreeMap<>();
      node.allocations().names().values().forEach(devices -> Units.add(taken, devices));
      for (BoundPod pod : pods) {
        Units.add(taken, pod.holding(request -> Map.of()).devices());
        if (pod.facts().demand().hasOrdinaryInit()) {
          continue;
        }
        for (ContainerDemand container : pod.reservedContainers()) {
          Request request = request(pod, container);
          Optional<Map<DeviceUuid, Long>> actual = pod.shown(container);
          if (actual.isPresent()) {
            settled.add(new Slots.Settled(request, actual.get()));
          } else if (pod.isOutstanding(container)) {
            waiting.add(request);
          }
        }
      }
      return Slots.assign(settled, waiting, node.inventory(), node.cordoned(), taken);
    }

    private Request request(BoundPod pod, ContainerDemand container) {
      Reservation plan = pod.reservation().orElseThrow();
      Likeness likeness = Likeness.of(pod.facts(), container, plan.choice(), node.inventory());
      return new Request(
          pod.facts().uid(),
          container.container(),
          likeness,
          plan.containers().getOrDefault(container.container(), Map.of()));
    }

    private Map<DeviceUuid, Long> placeOf(
        Map<Request, Map<DeviceUuid, Long>> places, BoundPod pod, ContainerDemand container) {
      return places.getOrDefault(request(pod, container), Map.of());
    }

    private List<Outstanding> outstanding(
        BoundPod pod, Map<Request, Map<DeviceUuid, Long>> places) {
      List<Outstanding> outstanding = new ArrayList<>();
      for (ContainerDemand container : pod.reservedContainers()) {
        if (pod.isOutstanding(container)) {
          Request request = request(pod, container);
          outstanding.add(
              new Outstanding(
                  pod.facts().uid(),
                  pod.facts().name(),
                  container.container(),
                  container.phase(),
                  request.likeness(),
                  goal(pod, request, places)));
        }
      }
      return outstanding;
    }

    /** A pod with an ordinary init request follows what it was given first, wherever that is. */
    private static Map<DeviceUuid, Long> goal(
        BoundPod pod, Request request, Map<Request, Map<DeviceUuid, Long>> places) {
      return pod.facts().demand().hasOrdinaryInit()
          ? Map.of(pod.device().orElseThrow(), request.likeness().units())
          : places.getOrDefault(request, request.reserved());
    }

    private void noteOverUse(NodeLedger ledger) {
      Map<DeviceUuid, Long> used = new TreeMap<>();
      for (Holding holding : ledger.holdings()) {
        holding.devices().keySet().forEach(device -> used.put(device, ledger.used(device)));
      }
      used.forEach(
          (device, units) -> {
            long has = node.inventory().device(device).map(known -> known.units()).orElse(-1L);
            if (has < 0) {
              note(Discrepancy.Kind.UNKNOWN_DEVICE_HELD, device.toString());
            } else if (units > has) {
              note(Discrepancy.Kind.OVER_USE, device + ": " + units + " of " + has);
            }
          });
    }
  }

  /** Whether a request waits here that no call of Allocate could tell from this one. */
  public boolean isConfused(Likeness likeness) {
    return outstanding.stream().anyMatch(each -> each.likeness().isConfusedWith(likeness));
  }

  /** Whether a container of this phase shows in PodResources once it is admitted. */
  static boolean isShown(Phase phase) {
    return phase != Phase.INIT;
  }
}
