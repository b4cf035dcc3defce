package io.gpumem.extender.verdict;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.Holding;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.placement.Refusal;
import io.gpumem.core.placement.Verdict;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.Units;
import io.gpumem.extender.verdict.Explanation.OnDevice;
import io.gpumem.extender.verdict.Explanation.OnNode;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.extender.view.NodeView;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Explains a pod on every node, by the very rule that filter uses. Pure; safe from any thread. */
public final class Explain {

  private final Policy standard;
  private final Turns turns;

  /**
   * @param filter whose answers are explained
   */
  public Explain(Filter filter) {
    this.standard = filter.standard();
    this.turns = filter.turns();
  }

  /** Empty when no pod of this name asks for anything of ours. */
  public Optional<Explanation> explain(ClusterSnapshot snapshot, PodName name, long nowNanos) {
    return snapshot.find(name).map(pod -> explain(snapshot, pod, turns.closures(nowNanos)));
  }

  private Explanation explain(ClusterSnapshot snapshot, PodFacts pod, Closures closures) {
    Optional<Applicant> applicant = Applicant.of(pod, standard);
    Applicant reader = applicant.orElseGet(() -> new Applicant(pod, DeviceChoice.ANY, standard));
    List<OnNode> nodes =
        snapshot.nodes().stream()
            .sorted(Comparator.comparing(NodeView::name))
            .map(node -> on(node, reader, verdict(node, applicant, closures)))
            .toList();
    return new Explanation(pod, applicant.map(Applicant::policy), nodes);
  }

  private Verdict verdict(NodeView node, Optional<Applicant> applicant, Closures closures) {
    return applicant
        .map(known -> Trial.on(node, known, closures, standard))
        .orElseGet(() -> Verdict.refused(Refusal.BAD_ANNOTATION));
  }

  private OnNode on(NodeView node, Applicant applicant, Verdict verdict) {
    NodeLedger ledger = Trial.ledgerFor(node, applicant, standard);
    List<OnDevice> devices = devices(ledger, applicant.choice());
    List<OnDevice> usable =
        devices.stream().filter(each -> each.wanted() && ledger.isOpen(each.device())).toList();
    long largestFree = usable.stream().mapToLong(OnDevice::free).max().orElse(0);
    long largest =
        devices.stream()
            .filter(OnDevice::wanted)
            .mapToLong(each -> each.device().units())
            .max()
            .orElse(0);
    long free = usable.stream().mapToLong(OnDevice::free).reduce(0, Units::sum);
    Optional<String> remedy =
        switch (verdict) {
          case Verdict.Fits fits -> Optional.empty();
          case Verdict.Refused(Refusal why) ->
              Optional.of(new Remedy(applicant, node, largestFree, largest, free).text(why));
        };
    return new OnNode(
        node.name(),
        node.facts().ready(),
        verdict,
        largestFree,
        largest,
        free,
        ledger.unplaced(),
        remedy,
        devices);
  }

  /** The devices of a node in the order of their index, as a pod of this choice meets them. */
  static List<OnDevice> devices(NodeLedger ledger, DeviceChoice choice) {
    return ledger.inventory().devices().stream().map(each -> line(ledger, each, choice)).toList();
  }

  /** The devices of a node as they are. */
  public static List<OnDevice> devices(NodeView node) {
    return devices(node.ledger(), DeviceChoice.ANY);
  }

  private static OnDevice line(NodeLedger ledger, Device device, DeviceChoice choice) {
    return new OnDevice(
        device,
        choice.accepts(device),
        ledger.isCordoned(device.uuid()),
        ledger.used(device.uuid()),
        sum(ledger, device, Holding::allocated),
        sum(ledger, device, Holding::reserved),
        sum(ledger, device, Holding::surplus),
        ledger.free(device));
  }

  private static long sum(
      NodeLedger ledger, Device device, Function<Holding, Map<DeviceUuid, Long>> part) {
    return ledger.holdings().stream()
        .mapToLong(holding -> part.apply(holding).getOrDefault(device.uuid(), 0L))
        .reduce(0, Units::sum);
  }
}
