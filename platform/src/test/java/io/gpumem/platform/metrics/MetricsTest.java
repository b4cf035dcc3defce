package io.gpumem.platform.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTest {

  private static final Label RESULT = Label.of("result", "ok", "refused");
  private static final Label VERB = Label.of("verb", "bind", "filter");

  private final Metrics metrics = new Metrics();

  @Test
  void showsEverythingAtZeroFromTheStart() {
    metrics.counter("gpumem_binds_total", "Binds.");
    metrics.counter("gpumem_calls_total", "Calls.", VERB, RESULT);
    metrics.gauge("gpumem_devices", "Devices.");
    metrics.histogram("gpumem_call_seconds", "Time.", List.of(0.1, 1.0), VERB);

    assertEquals(
        """
        # HELP gpumem_binds_total Binds.
        # TYPE gpumem_binds_total counter
        gpumem_binds_total 0.0
        # HELP gpumem_call_seconds Time.
        # TYPE gpumem_call_seconds histogram
        gpumem_call_seconds_bucket{verb="bind",le="0.1"} 0
        gpumem_call_seconds_bucket{verb="bind",le="1.0"} 0
        gpumem_call_seconds_bucket{verb="bind",le="+Inf"} 0
        gpumem_call_seconds_count{verb="bind"} 0
        gpumem_call_seconds_sum{verb="bind"} 0.0
        gpumem_call_seconds_bucket{verb="filter",le="0.1"} 0
        gpumem_call_seconds_bucket{verb="filter",le="1.0"} 0
        gpumem_call_seconds_bucket{verb="filter",le="+Inf"} 0
        gpumem_call_seconds_count{verb="filter"} 0
        gpumem_call_seconds_sum{verb="filter"} 0.0
        # HELP gpumem_calls_total Calls.
        # TYPE gpumem_calls_total counter
        gpumem_calls_total{result="ok",verb="bind"} 0.0
        gpumem_calls_total{result="ok",verb="filter"} 0.0
        gpumem_calls_total{result="refused",verb="bind"} 0.0
        gpumem_calls_total{result="refused",verb="filter"} 0.0
        # HELP gpumem_devices Devices.
        # TYPE gpumem_devices gauge
        gpumem_devices 0.0
        """,
        metrics.exposition().text());
  }

  @Test
  void namesTheFormatOfItsText() {
    assertEquals("text/plain; version=0.0.4; charset=utf-8", metrics.exposition().contentType());
  }

  @Test
  void countsByLabelValuesInTheirOrder() {
    var calls = metrics.counter("gpumem_calls_total", "Calls.", VERB, RESULT);

    calls.increment("bind", "refused");
    calls.add(2, "bind", "refused");

    assertEquals(3, calls.count("bind", "refused"));
    assertTrue(shows("gpumem_calls_total{result=\"refused\",verb=\"bind\"} 3.0"));
  }

  @Test
  void refusesLabelValuesThatWereNotDeclared() {
    var calls = metrics.counter("gpumem_calls_total", "Calls.", VERB);

    assertThrows(IllegalArgumentException.class, () -> calls.increment("preempt"));
    assertThrows(IllegalArgumentException.class, calls::increment);
    assertThrows(IllegalArgumentException.class, () -> calls.increment("bind", "ok"));
  }

  @Test
  void forgetsASeriesOfAnOpenLabelThatIsGone() {
    var used = metrics.gauge("gpumem_device_used_bytes", "Used.", Label.open("gpu"));

    used.set(5, "GPU-1");
    used.set(7, "GPU-2");
    used.add(-1, "GPU-2");
    used.remove("GPU-1");

    assertEquals(6, used.value("GPU-2"));
    assertTrue(shows("gpumem_device_used_bytes{gpu=\"GPU-2\"} 6.0"));
    assertFalse(metrics.exposition().text().contains("GPU-1"));
  }

  @Test
  void countsDurationsInSeconds() {
    var took = metrics.histogram("gpumem_call_seconds", "Time.", List.of(0.1, 1.0));

    took.observe(Duration.ofMillis(500));

    assertTrue(shows("gpumem_call_seconds_bucket{le=\"0.1\"} 0"));
    assertTrue(shows("gpumem_call_seconds_bucket{le=\"1.0\"} 1"));
    assertTrue(shows("gpumem_call_seconds_sum 0.5"));
  }

  @Test
  void asksSuppliersAtEachScrape() {
    var values = new double[] {1};
    metrics.gauge("gpumem_leader", "Leader.", () -> values[0]);
    metrics.counter("gpumem_faults_total", "Faults.", () -> values[0]);
    assertTrue(shows("gpumem_leader 1.0"));

    values[0] = 4;

    assertTrue(shows("gpumem_leader 4.0"));
    assertTrue(shows("gpumem_faults_total 4.0"));
  }

  @Test
  void takesEachNameOnce() {
    metrics.gauge("gpumem_devices", "Devices.");

    assertThrows(
        IllegalArgumentException.class, () -> metrics.counter("gpumem_devices", "Not a total."));
    assertThrows(IllegalArgumentException.class, () -> metrics.gauge("gpumem_devices", "Again."));
    assertThrows(IllegalArgumentException.class, () -> metrics.gauge("Wrong-Name", "Wrong."));
  }

  @Test
  void tellsOfTheProcess(@TempDir Path dir) throws IOException {
    var status = Files.writeString(dir.resolve("status"), "Name:\tjava\nVmRSS:\t     2 kB\n");
    ProcessMetrics.addTo(metrics, 1_500, status);

    assertTrue(shows("process_start_time_seconds 1.5"));
    assertTrue(shows("process_resident_memory_bytes 2048.0"));
    assertTrue(metrics.exposition().text().contains("\nprocess_cpu_seconds_total "));
    assertTrue(metrics.exposition().text().contains("\njvm_heap_used_bytes "));
  }

  @Test
  void livesWithoutProc(@TempDir Path dir) {
    ProcessMetrics.addTo(metrics, 0, dir.resolve("missing"));

    assertTrue(shows("process_resident_memory_bytes NaN"));
  }

  private boolean shows(String line) {
    return metrics.exposition().text().lines().anyMatch(line::equals);
  }
}
