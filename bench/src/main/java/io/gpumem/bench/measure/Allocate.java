package io.gpumem.bench.measure;

import io.gpumem.bench.figures.Report;
import io.gpumem.bench.figures.Samples;
import io.gpumem.bench.figures.Table;
import io.gpumem.bench.process.Footprint;
import io.gpumem.bench.process.Ports;
import io.gpumem.bench.process.Programs;
import io.gpumem.bench.process.Running;
import io.gpumem.bench.world.PlayedNode;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The kubelet's two calls, over its unix socket, on a node of 5,000 device IDs that is as full of
 * pods as kubelets allow: pods come in batches, are admitted one by one, and the oldest go.
 */
public final class Allocate implements Measurement {

  private static final PlayedNode.Cards CARDS = new PlayedNode.Cards(8, 625);

  /** The kubelet's own limit is 110 pods, some of which are always the system's. */
  private static final int LIVE_PODS = 100;

  private static final int BATCH = 10;
  private static final int[] SIZES = {4, 8, 16, 24, 40, 70};
  private static final int WARM_UP_ROUNDS = 40;
  private static final int ROUNDS = 100;

  /** Until the plugin's watch has shown what was just written: the wait for it is no cost here. */
  private static final Duration SHOWN = Duration.ofMillis(150);

  private static final Duration HANG_LIMIT = Duration.ofSeconds(60);

  private final Programs programs;
  private final Path folder;

  /** What is kept while it runs. */
  private final Deque<KubeletPod> live = new ArrayDeque<>();

  private int created;

  /**
   * @param folder for the played node's files, with a short path
   */
  public Allocate(Programs programs, Path folder) {
    this.programs = programs;
    this.folder = folder;
  }

  @Override
  public void run(Report report) throws Exception {
    Table table =
        new Table(
            "Calls of the kubelet, 5,000 device IDs",
            """
            gRPC over the unix socket, as the kubelet's side measures it; %d pods on the node, one call at a time. \
            Warm-up %d calls of each, then %d are counted. The played kubelet and API server share the cores.\
            """
                .formatted(LIVE_PODS, WARM_UP_ROUNDS * BATCH, ROUNDS * BATCH),
            "call",
            "NVML",
            "p50 ms",
            "p99 ms",
            "max ms",
            "RSS MiB",
            "PSS MiB");
    int port = Ports.free();
    try (PlayedNode node = new PlayedNode(folder.resolve("a"), CARDS);
        Running plugin = programs.plugin(node.flags(port))) {
      node.awaitServed();
      report.progress("filling the node");
      for (int i = 0; i < LIVE_PODS / BATCH; i++) {
        var _ = admitBatch(node);
      }
      report.progress("warm-up of Allocate");
      var _ = rounds(node, WARM_UP_ROUNDS);
      report.progress("Allocate with NVML well");
      rows(table, "answers", rounds(node, ROUNDS), plugin.footprint());
      node.machine(true);
      awaitHang(port);
      report.progress("Allocate with NVML hung");
      rows(table, "hangs", rounds(node, ROUNDS), plugin.footprint());
      node.machine(false);
    }
    report.add(table);
  }

  private static void awaitHang(int port) throws Exception {
    long end = System.nanoTime() + HANG_LIMIT.toNanos();
    while (Ports.metric(port, "gpumem_nvml_blocked_seconds") == 0) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("expected NVML to hang within " + HANG_LIMIT);
      }
      Thread.sleep(SHOWN);
    }
  }

  private PlayedNode.Calls rounds(PlayedNode node, int rounds) throws Exception {
    List<Duration> preferred = new ArrayList<>();
    List<Duration> allocate = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      for (int j = 0; j < BATCH; j++) {
        node.end(live.removeFirst());
      }
      PlayedNode.Calls calls = admitBatch(node);
      preferred.addAll(calls.preferred());
      allocate.addAll(calls.allocate());
    }
    return new PlayedNode.Calls(preferred, allocate);
  }

  private PlayedNode.Calls admitBatch(PlayedNode node) throws Exception {
    List<KubeletPod> batch = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      int units = SIZES[created % SIZES.length];
      batch.add(node.bind("pod-%06d".formatted(created), units, created % CARDS.count()));
      created++;
    }
    Thread.sleep(SHOWN);
    live.addAll(batch);
    return node.admit(batch);
  }

  private static void rows(Table table, String nvml, PlayedNode.Calls calls, Footprint memory) {
    row(table, "GetPreferredAllocation", nvml, Samples.of(calls.preferred()), memory);
    row(table, "Allocate", nvml, Samples.of(calls.allocate()), memory);
  }

  private static void row(
      Table table, String call, String nvml, Samples samples, Footprint memory) {
    table.row(
        call,
        nvml,
        samples.millis(50),
        samples.millis(99),
        samples.millis(100),
        memory.rssMib(),
        memory.pssMib());
  }
}
