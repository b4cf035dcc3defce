package io.gpumem.plugin.publish;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.ledger.Discrepancy;
import io.gpumem.core.ledger.Holding;
import io.gpumem.core.units.PodUid;
import io.gpumem.platform.cluster.EventNote;
import io.gpumem.platform.cluster.PodRef;
import io.gpumem.plugin.allocate.NodeState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The events that people should see when the node's books go from one state to the next. Pure. */
public final class Announcements {

  private static final String UNHEALTHY = "GpuUnhealthy";
  private static final String HEALTHY = "GpuHealthy";
  private static final String NO_DEVICE = "StartedWithoutGpu";
  private static final String OVER_USE = "GpuMemOverUse";

  private Announcements() {}

  /** What to tell; nothing when nothing that matters changed. */
  public static List<EventNote> between(NodeState.View before, NodeState.View after) {
    List<EventNote> notes = new ArrayList<>();
    for (Device device : after.facts().inventory().devices()) {
      Optional<Health> was = before.facts().inventory().device(device.uuid()).map(Device::health);
      boolean wasHealthy = was.map(Health::isHealthy).orElse(true);
      switch (device.health()) {
        case Health.Unhealthy(String why) -> {
          if (wasHealthy) {
            notes.addAll(turnedBad(after, device, why));
          }
        }
        case Health.Healthy() -> {
          if (!wasHealthy) {
            notes.add(
                onNode(
                    after, EventNote.Severity.NORMAL, HEALTHY, name(device) + " is healthy again"));
          }
        }
      }
    }
    notes.addAll(newDiscrepancies(before, after));
    return notes;
  }

  private static List<EventNote> turnedBad(NodeState.View view, Device device, String why) {
    String text = name(device) + " takes no new pods: " + why;
    List<EventNote> notes = new ArrayList<>();
    notes.add(onNode(view, EventNote.Severity.WARNING, UNHEALTHY, text));
    for (Holding holding : view.books().ledger().holdings()) {
      if (holding.uid().isPresent() && holding.devices().containsKey(device.uuid())) {
        notes.add(onPod(holding.uid().get(), holding, UNHEALTHY, text));
      }
    }
    return notes;
  }

  private static List<EventNote> newDiscrepancies(NodeState.View before, NodeState.View after) {
    Set<Discrepancy> known = new HashSet<>(before.books().discrepancies());
    List<EventNote> notes = new ArrayList<>();
    for (Discrepancy discrepancy : after.books().discrepancies()) {
      if (known.contains(discrepancy)) {
        continue;
      }
      switch (discrepancy.kind()) {
        case POD_WITHOUT_DEVICE ->
            after.books().ledger().holdings().stream()
                .filter(holding -> holding.name().toString().equals(discrepancy.subject()))
                .filter(holding -> holding.uid().isPresent())
                .forEach(
                    holding ->
                        notes.add(
                            onPod(
                                holding.uid().orElseThrow(),
                                holding,
                                NO_DEVICE,
                                "the kubelet started this pod without a GPU: delete it, so that"
                                    + " another can take its place")));
        case OVER_USE ->
            notes.add(
                onNode(
                    after, EventNote.Severity.WARNING, OVER_USE, discrepancy.subject() + " units"));
        case RESERVATION_UNREADABLE,
            RESERVATION_OTHER_UID,
            RESERVATION_OTHER_NODE,
            RESERVATION_UNKNOWN_DEVICE,
            RESERVATION_OTHER_AMOUNTS,
            UNPLACED_POD,
            UNKNOWN_HOLDER,
            UNKNOWN_DEVICE_HELD -> {
          // Counted; a person has nothing to do about them.
        }
      }
    }
    return notes;
  }

  private static String name(Device device) {
    return "GPU " + device.index() + " (" + device.model() + ", " + device.uuid() + ")";
  }

  private static EventNote onNode(
      NodeState.View view, EventNote.Severity severity, String reason, String text) {
    return new EventNote(new EventNote.OnNode(view.facts().name().text()), severity, reason, text);
  }

  private static EventNote onPod(PodUid uid, Holding holding, String reason, String text) {
    PodRef pod = new PodRef(holding.name().namespace(), holding.name().name(), uid.text());
    return new EventNote(new EventNote.OnPod(pod), EventNote.Severity.WARNING, reason, text);
  }
}
