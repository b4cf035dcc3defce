package io.gpumem.platform.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * What every process tells about itself, under the names that Prometheus' clients agreed on. Read
 * at each scrape; memory is not a number (NaN) where there is no Linux /proc.
 */
public final class ProcessMetrics {

  private static final Path STATUS = Path.of("/proc/self/status");

  /** proc(5): "VmRSS: 1234 kB", in units of 1024 bytes. */
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");

  private static final double MILLIS_PER_SECOND = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double BYTES_PER_KIB = 1024;

  private ProcessMetrics() {}

  /** Makes the metrics. The start is now, which at the start of a main method is near enough. */
  public static void addTo(Metrics metrics) {
    addTo(metrics, System.currentTimeMillis(), STATUS);
  }

  static void addTo(Metrics metrics, long startMillis, Path status) {
    metrics.gauge(
        "process_start_time_seconds",
        "When the process started, in seconds since 1970.",
        () -> startMillis / MILLIS_PER_SECOND);
    metrics.counter(
        "process_cpu_seconds_total",
        "CPU time that the process used so far.",
        ProcessMetrics::cpuSeconds);
    metrics.gauge(
        "process_resident_memory_bytes",
        "Memory of the process that is in RAM.",
        () -> residentBytes(status));
    metrics.gauge(
        "jvm_heap_used_bytes",
        "Heap in use, garbage included.",
        () -> Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    metrics.gauge(
        "jvm_heap_max_bytes",
        "The most that the heap may grow to.",
        () -> Runtime.getRuntime().maxMemory());
  }

  private static double cpuSeconds() {
    var used = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    return used.toNanos() / NANOS_PER_SECOND;
  }

  private static double residentBytes(Path status) {
    try {
      var found = RESIDENT.matcher(Files.readString(status));
      return found.find() ? Long.parseLong(found.group(1)) * BYTES_PER_KIB : Double.NaN;
    } catch (IOException e) {
      return Double.NaN;
    }
  }
}
