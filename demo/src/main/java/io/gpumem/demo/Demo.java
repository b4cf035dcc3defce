package io.gpumem.demo;

import io.gpumem.core.wire.Keys;
import io.gpumem.demo.process.Binaries;
import io.gpumem.demo.process.Child;
import io.gpumem.demo.process.Children;
import io.gpumem.demo.scenario.Console;
import io.gpumem.demo.scenario.Missed;
import io.gpumem.demo.scenario.Owner;
import io.gpumem.demo.scenario.Stage;
import io.gpumem.demo.scenario.Story;
import io.gpumem.demo.world.PlayedCluster;
import io.gpumem.demo.world.PlayedNode;
import io.gpumem.platform.life.ExitCode;
import io.gpumem.platform.life.Faults;
import io.gpumem.platform.life.Life;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One run: sets the stage, tells the story, gives the verdict. This process plays what is not ours;
 * the plugins and the extender are the real binaries in processes of their own.
 */
final class Demo {

  /** Node to the profile of its simulated machine, see docs/simulated-machines.md. */
  private static final Map<String, String> MACHINES = machines();

  private final Life life;
  private final Faults faults;
  private final Binaries binaries;
  private final Console console;
  private final Duration patience;
  private final Workplace place;

  /**
   * @param life ends whatever is started here
   * @param faults told of what must not happen in a thread here
   * @param patience for any one thing to happen
   */
  Demo(Life life, Faults faults, Binaries binaries, Console console, Duration patience)
      throws IOException {
    this.life = life;
    this.faults = faults;
    this.binaries = binaries;
    this.console = console;
    this.patience = patience;
    this.place = life.own("workplace", Workplace.create());
  }

  private static Map<String, String> machines() {
    Map<String, String> machines = new LinkedHashMap<>();
    machines.put("node-a", "card-16gib");
    machines.put("node-b", "h200-x2");
    machines.put("node-c", "mixed");
    return machines;
  }

  Workplace place() {
    return place;
  }

  /**
   * Runs the story; the exit code.
   *
   * @param stay whether to stay up afterwards until the process is told to end
   */
  int run(boolean stay) throws Exception {
    console.plain("gpu-mem: the real plugin and extender, in processes of their own, on simulated");
    console.plain("GPUs. API server, kubelets and kube-scheduler are played. No GPU, no root.");
    console.step("0. Three nodes start, a plugin on each, and one extender");
    int port = freePort();
    String url = "http://127.0.0.1:" + port;
    PlayedCluster cluster = new PlayedCluster(life, faults, new Keys(Keys.DEFAULT_RESOURCE), url);
    Path kubeconfig = place.write("kubeconfig", cluster.kubeconfig());
    Children children = life.own("children", new Children(place.logs()));
    Map<String, Child> plugins = new LinkedHashMap<>();
    for (Map.Entry<String, String> machine : MACHINES.entrySet()) {
      PlayedNode node = cluster.addNode(machine.getKey(), place.folder(machine.getKey()));
      plugins.put(node.name(), plugin(children, node, machine.getValue(), kubeconfig));
    }
    var unused =
        children.start(
            "extender",
            binaries.extender(
                List.of(
                    "--kubeconfig=" + kubeconfig,
                    "--listen=127.0.0.1:" + port,
                    "--log-format=text")));
    cluster.startScheduler();
    Story story =
        new Story(
            new Stage(cluster, children, new Owner(cluster), console, patience, life::ended),
            plugins);
    return finish(told(story), url, stay);
  }

  private Child plugin(Children children, PlayedNode node, String profile, Path kubeconfig)
      throws IOException {
    Path machine =
        place.write(
            node.name() + ".json",
            "{\"v\": 1, \"profile\": \"%s\", \"seed\": \"%s\"}".formatted(profile, node.name()));
    return children.start(
        "plugin-" + node.name(),
        binaries.plugin(
            List.of(
                "--node-name=" + node.name(),
                "--simulated-machine=" + machine,
                "--kubeconfig=" + kubeconfig,
                "--device-plugin-directory=" + node.kubelet().settings().devicePlugins(),
                "--pod-resources-socket=" + node.kubelet().settings().podResourcesSocket(),
                "--listen=127.0.0.1:0")));
  }

  private static List<String> told(Story story) throws IOException, InterruptedException {
    try {
      story.tell();
      return story.verdict();
    } catch (Missed missed) {
      return List.of(String.valueOf(missed.getMessage()));
    }
  }

  private int finish(List<String> differences, String url, boolean stay)
      throws InterruptedException {
    if (!differences.isEmpty()) {
      console.step("FAILED:");
      differences.forEach(console::say);
      place.keepLogs();
      console.say("the processes' logs are in " + place.logs());
      return ExitCode.FAILED;
    }
    console.step(
        "All equal. Every running container sees exactly the device of its units, no device is"
            + " over its size, no kubelet refused a pod while its plugin was up.");
    if (stay) {
      console.plain("");
      console.plain("Up until Ctrl-C. Worth trying:");
      console.plain("  curl -s " + url + "/api/v1/nodes");
      console.plain("  curl -s '" + url + "/api/v1/explain?pod=default/big'");
      console.plain("  curl -s " + url + "/metrics");
      console.plain("The logs of the processes: " + place.logs());
      return life.awaitEnd();
    }
    return ExitCode.OK;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
