package io.gpumem.plugin;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.Discrepancy;
import io.gpumem.platform.metrics.Counter;
import io.gpumem.platform.metrics.Gauge;
import io.gpumem.platform.metrics.Histogram;
import io.gpumem.platform.metrics.Label;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.NodeState;
import io.gpumem.plugin.kubelet.KubeletLink;
import io.gpumem.plugin.publish.NodePublisher;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Every metric of the plugin, created at zero. Safe for any thread. */
final class PluginMetrics {

  private final Counter preferred;
  private final Histogram preferredWait;
  private final Counter allocations;
  private final Counter suspects;
  private final Counter link;
  private final Counter publications;
  private final Counter scans;
  private final Gauge leftOut;
  private final Counter unreadable;
  private final Gauge discrepancies;
  private final Devices devices;

  PluginMetrics(Metrics metrics) {
    preferred =
        metrics.counter(
            "gpumem_preferred_total",
            "GetPreferredAllocation calls by what the answer stands on.",
            Label.of("basis", "REUSE", "LOST", "RESERVED", "PLACED", "LEFT_OVER", "MIXED"));
    preferredWait =
        metrics.histogram(
            "gpumem_preferred_seconds",
            "Time from a GetPreferredAllocation call to its answer, waiting included.",
            List.of(0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0));
    allocations =
        metrics.counter(
            "gpumem_allocate_total",
            "Allocate calls by outcome.",
            Label.of("outcome", "granted", "refused"));
    suspects =
        metrics.counter(
            "gpumem_suspect_ids_accepted_total",
            "IDs that were last known to be another pod's, given because it no longer holds them.");
    link =
        metrics.counter(
            "gpumem_kubelet_link_total",
            "What happened to the link with the kubelet.",
            linkLabel());
    publications =
        metrics.counter(
            "gpumem_publications_total",
            "Patches of the node's annotations by outcome, and forgeries put back.",
            Label.of("event", names(NodePublisher.Event.values())));
    scans =
        metrics.counter(
            "gpumem_nvml_scans_total",
            "Looks at the GPUs by outcome.",
            Label.of("outcome", "seen", "driver_not_loaded", "version_mismatch", "failed"));
    leftOut =
        metrics.gauge(
            "gpumem_devices_left_out",
            "What the machine has and is not sold, as of now; the log says what and why.");
    unreadable =
        metrics.counter(
            "gpumem_unreadable_total", "Annotations and quantities that could not be read.");
    discrepancies =
        metrics.gauge(
            "gpumem_discrepancies",
            "What the node shows and should not, by kind, as of now.",
            kindLabel());
    devices = new Devices(metrics);
  }

  /** What is told of each device that is sold; of one that is forgotten, no more. */
  private static final class Devices {
    private final Gauge units;
    private final Gauge used;
    private final Gauge healthy;
    private Set<String> told = Set.of();

    Devices(Metrics metrics) {
      units = metrics.gauge("gpumem_device_units", "Units of a device.", Label.open("device"));
      used = metrics.gauge("gpumem_device_used_units", "Units taken.", Label.open("device"));
      healthy =
          metrics.gauge(
              "gpumem_device_healthy", "1 while the device is healthy.", Label.open("device"));
    }

    synchronized void books(NodeState.View view) {
      Set<String> now = new HashSet<>();
      for (Device device : view.facts().inventory().devices()) {
        String uuid = device.uuid().text();
        now.add(uuid);
        units.set(device.units(), uuid);
        used.set(view.books().ledger().used(device.uuid()), uuid);
        healthy.set(device.health().isHealthy() ? 1 : 0, uuid);
      }
      for (String uuid : told) {
        if (!now.contains(uuid)) {
          units.remove(uuid);
          used.remove(uuid);
          healthy.remove(uuid);
        }
      }
      told = now;
    }
  }

  private static Label linkLabel() {
    return Label.of("event", names(KubeletLink.Event.values()));
  }

  private static Label kindLabel() {
    return Label.of(
        "kind", Arrays.stream(Discrepancy.Kind.values()).map(Enum::name).toArray(String[]::new));
  }

  private static String[] names(Enum<?>[] values) {
    return Arrays.stream(values).map(PluginMetrics::name).toArray(String[]::new);
  }

  private static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  void on(Allocator.Event event) {
    switch (event) {
      case Allocator.Event.Preferred(int size, String basis, Duration waited) -> {
        preferred.increment(basis);
        preferredWait.observe(waited.toNanos() / 1e9);
      }
      case Allocator.Event.Granted granted -> allocations.increment("granted");
      case Allocator.Event.Refused refused -> allocations.increment("refused");
      case Allocator.Event.SuspectAccepted accepted -> suspects.increment();
    }
  }

  void on(KubeletLink.Event event) {
    link.increment(name(event));
  }

  void on(NodePublisher.Event event) {
    publications.increment(name(event));
  }

  void scanned(String outcome) {
    scans.increment(outcome);
  }

  void leftOut(int count) {
    leftOut.set(count);
  }

  void unreadable() {
    unreadable.increment();
  }

  /** Takes over the books as they are now. */
  void books(NodeState.View view) {
    for (Discrepancy.Kind kind : Discrepancy.Kind.values()) {
      long count =
          view.books().discrepancies().stream().filter(each -> each.kind() == kind).count();
      discrepancies.set(count, kind.name());
    }
    devices.books(view);
  }
}
