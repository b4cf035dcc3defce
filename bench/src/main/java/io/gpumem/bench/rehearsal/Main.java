package io.gpumem.bench.rehearsal;

import io.gpumem.bench.load.Caller;
import io.gpumem.bench.load.Exchange;
import io.gpumem.bench.process.Ports;
import io.gpumem.bench.process.Running;
import io.gpumem.bench.world.ClusterPlan;
import io.gpumem.bench.world.FilledApiServer;
import io.gpumem.bench.world.PlayedNode;
import io.gpumem.bench.world.Texts;
import io.gpumem.core.units.PodUid;
import io.gpumem.platform.log.LogFormat;
import io.gpumem.platform.log.Logging;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.event.Level;

/**
 * Plays a kubelet and an API server, or an API server and a scheduler, for one run of a program,
 * whatever its command line is: {@code build/dist} gives one that records for an ahead-of-time
 * cache. The run goes through all that a program does in its first minute, and ends by SIGTERM.
 *
 * <p>Arguments: {@code plugin} or {@code extender}, an empty folder, and the command.
 */
public final class Main {

  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  /** The JVM writes the cache when it ends, by a second JVM: some ten seconds. */
  private static final Duration WRITE_LIMIT = Duration.ofMinutes(3);

  private static final PlayedNode.Cards CARDS = new PlayedNode.Cards(8, 139);
  private static final int NODES = 20;
  private static final int PODS = 20;

  /** As many requests as a scheduler makes in a calm minute; enough for the profiles. */
  private static final int REQUESTS = 200;

  private Main() {}

  public static void main(String[] args) throws Exception {
    Logging.configure(LogFormat.TEXT, Level.ERROR);
    Path folder = Path.of(args[1]).toAbsolutePath();
    List<String> command = List.of(args).subList(2, args.length);
    Files.createDirectories(folder);
    switch (args[0]) {
      case "plugin" -> plugin(folder, command);
      case "extender" -> extender(folder, command);
      default -> throw new IllegalArgumentException("expected plugin or extender: " + args[0]);
    }
    // Threads of the played parts may linger.
    System.exit(0);
  }

  private static Running start(Path folder, List<String> command, List<String> flags)
      throws IOException {
    List<String> whole = new ArrayList<>(command);
    whole.addAll(flags);
    return Running.start(whole, folder.resolve("log"));
  }

  private static void plugin(Path folder, List<String> command) throws Exception {
    int port = Ports.free();
    try (PlayedNode node = new PlayedNode(folder.resolve("n"), CARDS);
        Running plugin = start(folder, command, node.flags(port))) {
      Duration _ = Ports.awaitOk(plugin, port, Caller.get("/readyz"), START_LIMIT);
      node.awaitServed();
      List<KubeletPod> pods = new ArrayList<>();
      for (int i = 0; i < PODS; i++) {
        pods.add(node.bind("pod-" + i, 8, i % CARDS.count()));
      }
      PlayedNode.Calls _ = node.admit(pods);
      pods.forEach(node::end);
      double _ = Ports.metric(port, "gpumem_nvml_blocked_seconds");
      end(plugin);
    }
  }

  private static void extender(Path folder, List<String> command) throws Exception {
    ClusterPlan plan = ClusterPlan.of(NODES);
    int port = Ports.free();
    try (FilledApiServer api = FilledApiServer.holding(plan);
        Running extender =
            start(
                folder,
                command,
                List.of("--api-url=" + api.url(), "--listen=127.0.0.1:" + port)); ) {
      Duration _ = Ports.awaitOk(extender, port, Caller.get("/readyz"), START_LIMIT);
      try (Caller scheduler = Caller.to(port)) {
        for (int i = 0; i < REQUESTS; i++) {
          schedule(plan, api, scheduler, i);
        }
      }
      double _ = Ports.metric(port, "gpumem_extender_nodes");
      end(extender);
    }
  }

  private static void schedule(ClusterPlan plan, FilledApiServer api, Caller scheduler, int turn)
      throws IOException {
    String name = "new-" + turn;
    List<Long> units = turn % 4 == 0 ? List.of(4L, 4L) : List.of(4L);
    PodUid uid = api.addWaiting(name, units);
    String args = Texts.extenderArgs(uid, name, units, plan.nodes());
    Exchange filtered = scheduler.call(Caller.post("/filter", args));
    Exchange _ = scheduler.call(Caller.post("/prioritize", args));
    List<String> passed = Texts.passed(filtered.text());
    String node = passed.isEmpty() ? plan.nodes().getFirst() : passed.getFirst();
    Exchange _ = scheduler.call(Caller.post("/bind", Texts.bindingArgs(name, uid, node)));
    api.remove(name);
  }

  private static void end(Running program) throws InterruptedException {
    int code = program.stop(WRITE_LIMIT);
    if (code != 0) {
      throw new IllegalStateException("expected the exit code 0 but was " + code);
    }
  }
}
