package io.gpumem.demo.hardware;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.units.Memory;
import io.gpumem.core.wire.Keys;
import io.gpumem.demo.Workplace;
import io.gpumem.demo.process.Binaries;
import io.gpumem.demo.process.Child;
import io.gpumem.demo.process.Children;
import io.gpumem.demo.scenario.Console;
import io.gpumem.demo.scenario.Missed;
import io.gpumem.demo.scenario.Owner;
import io.gpumem.demo.scenario.Stage;
import io.gpumem.demo.world.PlayedCluster;
import io.gpumem.demo.world.PodPlan;
import io.gpumem.demo.world.PodState;
import io.gpumem.platform.life.ExitCode;
import io.gpumem.platform.life.Faults;
import io.gpumem.platform.life.Life;
import io.gpumem.plugin.kubelet.fake.ContainerView;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The real plugin and extender on this machine's GPUs, and CUDA programs that are given what the
 * plugin answered. API server, kubelet, scheduler and container runtime are played.
 */
final class Evidence {

  private static final String NODE = "this-machine";
  private static final double NANOS_PER_MILLI = 1e6;

  /**
   * How the run is done.
   *
   * @param tools the folder with the CUDA program and the script that makes a private /dev
   * @param units each GPU must have so many; 0 for any
   * @param patience for any one thing to happen
   */
  record Setup(
      Binaries binaries, Path tools, Optional<Path> nvmlLibrary, int units, Duration patience) {}

  private final Setup setup;
  private final Console console;
  private final Workplace place;
  private final Stage stage;
  private final HardwareNode node;
  private final Path kubeconfig;
  private final Probe probe;
  private final Checks checks = new Checks();

  /**
   * @param life ends whatever is started here
   * @param faults told of what must not happen in a thread here
   */
  Evidence(Life life, Faults faults, Setup setup, Console console) throws Exception {
    this.setup = setup;
    this.console = console;
    this.place = life.own("workplace", Workplace.create());
    String listen = "127.0.0.1:" + freePort();
    PlayedCluster cluster =
        new PlayedCluster(life, faults, new Keys(Keys.DEFAULT_RESOURCE), "http://" + listen);
    this.kubeconfig = place.write("kubeconfig", cluster.kubeconfig());
    this.node = new HardwareNode(cluster, cluster.addNode(NODE, place.folder(NODE)));
    Children children = life.own("children", new Children(place.logs()));
    this.stage =
        new Stage(cluster, children, new Owner(cluster), console, setup.patience(), life::ended);
    this.probe = new Probe(place.folder("probes"), console);
    var unused =
        children.start(
            "extender",
            setup.binaries().extender(List.of("--kubeconfig=" + kubeconfig, "--listen=" + listen)));
    cluster.startScheduler();
  }

  /** Does it all; the exit code is 0 only if each check held. */
  int run() throws Exception {
    try {
      tell();
    } catch (Missed missed) {
      checks.add("every step happens in time", false, String.valueOf(missed.getMessage()));
    }
    console.step("The checks:");
    console.plain("");
    checks.table().forEach(console::plain);
    if (checks.allHeld()) {
      return ExitCode.OK;
    }
    place.keepLogs();
    console.plain("");
    console.plain("The logs of the processes are kept in " + place.logs());
    console.plain("");
    for (Path log : logs()) {
      console.plain("The end of " + log.getFileName() + ":");
      List<String> lines = Files.readAllLines(log);
      lines.subList(Math.max(0, lines.size() - 20), lines.size()).forEach(console::plain);
    }
    return ExitCode.FAILED;
  }

  private List<Path> logs() throws IOException {
    try (Stream<Path> list = Files.list(place.logs())) {
      return list.sorted().toList();
    }
  }

  private void tell() throws Exception {
    console.step("1. Control: the CUDA program with this machine's whole /dev");
    Optional<Sight> all = probe.run(List.of(program()), Map.of());
    List<Sight.Gpu> gpus = all.map(Sight::gpus).orElse(List.of());
    checks.add("CUDA works here at all", !gpus.isEmpty(), gpus.size() + " GPU(s)");
    if (gpus.isEmpty()) {
      // All else would only wait in vain.
      return;
    }
    console.step("2. The plugin with --strategy device-specs");
    Child plugin = startPlugin("device-specs");
    inventory(gpus);
    List<String> everyNode = nvidiaNodes();
    console.step("3. Control: a private /dev with every NVIDIA node of this machine");
    Optional<Sight> whole = probe.run(inPrivate(new DevPlan(everyNode)), Map.of());
    checks.equal("with all nodes all GPUs are seen", uuids(all), uuids(whole));
    int units = node.advertised().values().stream().mapToInt(Integer::intValue).min().orElseThrow();
    int first = Math.max(1, units / 4);
    // Where there are several GPUs it must not fit beside the first.
    int second = gpus.size() > 1 ? units - first + 1 : first;
    List<String> one = deviceSpecs("4", PodPlan.of("first", resource(), first), gpus.size());
    List<String> two = deviceSpecs("5", PodPlan.of("second", resource(), second), gpus.size());
    checks.add(
        "device-specs: the two allocations are on " + (gpus.size() > 1 ? "two GPUs" : "one GPU"),
        one.equals(two) == (gpus.size() == 1),
        one + " and " + two);
    console.step("6. The plugin again, with --strategy envvar; both pods run on");
    plugin.kill();
    var unused = startPlugin("envvar");
    envvar(PodPlan.of("third", resource(), Math.max(1, units / 8)));
    checks.equal("the kubelet refused no pod", List.of(), node.node().refusals());
    checks.equal(
        "the plugin kept the kubelet's contract", List.of(), node.node().kubelet().violations());
  }

  /** Starts it and waits until the kubelet has its list and the node its annotation. */
  private Child startPlugin(String strategy) throws Exception {
    int listsBefore = node.node().kubelet().lists().size();
    List<String> flags = new ArrayList<>();
    flags.add("--node-name=" + NODE);
    flags.add("--strategy=" + strategy);
    setup.nvmlLibrary().ifPresent(library -> flags.add("--nvml-library=" + library));
    flags.add("--kubeconfig=" + kubeconfig);
    flags.add("--device-plugin-directory=" + node.node().kubelet().settings().devicePlugins());
    flags.add("--pod-resources-socket=" + node.node().kubelet().settings().podResourcesSocket());
    flags.add("--listen=127.0.0.1:0");
    console.plain("    gpu-mem-plugin " + String.join(" ", flags));
    long start = System.nanoTime();
    Child child = stage.children().start("plugin-" + strategy, setup.binaries().plugin(flags));
    stage.await(
        "the kubelet has a list from the plugin",
        () -> node.node().kubelet().lists().size() > listsBefore && !node.advertised().isEmpty());
    double millis = (System.nanoTime() - start) / NANOS_PER_MILLI;
    stage.await("the node is annotated", () -> !node.published().devices().isEmpty());
    console.plain(
        String.format(
            Locale.ROOT, "    registered, list received: %.0f ms after the start", millis));
    return child;
  }

  private void inventory(List<Sight.Gpu> gpus) {
    console.plain("    " + node.cluster().keys().devices() + ":");
    console.plain("    " + node.annotation());
    Map<String, Integer> advertised = node.advertised();
    advertised.forEach((uuid, units) -> console.plain("    " + uuid + ": " + units + " IDs"));
    checks.equal(
        "the kubelet is told of the GPUs that CUDA sees",
        gpus.stream().map(Sight.Gpu::uuid).sorted().toList(),
        List.copyOf(advertised.keySet()));
    for (Sight.Gpu gpu : gpus) {
      int units = advertised.getOrDefault(gpu.uuid(), 0);
      // NVML's total minus its reserve is what CUDA calls the total: the second opinion.
      long gib = Memory.ofBytes(gpu.total()).units(Memory.ofGib(1));
      checks.equal("units of " + gpu.uuid() + " are CUDA's total in whole GiB", gib, (long) units);
      if (setup.units() > 0) {
        checks.equal("units of " + gpu.uuid() + " are as expected", setup.units(), units);
      }
    }
    for (Device device : node.published().devices()) {
      checks.equal(
          "the annotation gives " + device.uuid() + " the same units",
          (long) advertised.getOrDefault(device.uuid().text(), 0),
          device.units());
      checks.add(
          device.uuid() + " is healthy",
          device.health().isHealthy(),
          device.health().isHealthy() ? "Healthy" : device.health().toString());
    }
  }

  private List<String> deviceSpecs(String number, PodPlan plan, int gpus) throws Exception {
    console.step(number + ". Pod \"" + plan.name() + "\" with device-specs");
    ContainerView answer = admit(plan);
    List<String> devices = held(plan);
    String named = "device-specs, " + plan.name() + ": ";
    DevPlan dev = DevPlan.of(HardwareNode.nodes(answer));
    checks.equal(named + "GPU nodes in the answer", devices.size(), dev.gpus().size());
    checks.equal(
        named + "NVIDIA_VISIBLE_DEVICES, so that the NVIDIA runtime adds nothing",
        "void",
        answer.envs().getOrDefault("NVIDIA_VISIBLE_DEVICES", ""));
    Optional<Sight> seen = probe.run(inPrivate(dev), Map.of());
    checks.equal(named + "CUDA sees what was allocated, and only that", devices, uuids(seen));
    checks.add(named + "CUDA takes memory there", seen.map(Sight::isUsed).orElse(false), "64 MiB");
    console.plain("    Control: the same without a GPU's own node, of " + gpus + " GPU(s)");
    Optional<Sight> nothing = probe.run(inPrivate(dev.withoutGpus()), Map.of());
    checks.equal(named + "without that node CUDA sees none", List.of(), uuids(nothing));
    return devices;
  }

  private void envvar(PodPlan plan) throws Exception {
    console.step("7. Pod \"" + plan.name() + "\" with envvar");
    console.plain("    No NVIDIA container runtime is at work here, which would read");
    console.plain(
        "    NVIDIA_VISIBLE_DEVICES; CUDA itself chooses by the value. It shows that the");
    console.plain("    value names the right GPU, and nothing about isolation.");
    ContainerView answer = admit(plan);
    String value = answer.envs().getOrDefault("NVIDIA_VISIBLE_DEVICES", "");
    List<String> devices = held(plan);
    checks.equal("envvar: the value is the allocated GPU", String.join(",", devices), value);
    checks.equal("envvar: no device nodes", 0, answer.devices().size());
    Optional<Sight> seen = probe.run(List.of(program()), Map.of("CUDA_VISIBLE_DEVICES", value));
    checks.equal("envvar: CUDA takes the value for that GPU (mapping only)", devices, uuids(seen));
    console.plain("    Control: a UUID that no GPU here has");
    Optional<Sight> none =
        probe.run(List.of(program()), Map.of("CUDA_VISIBLE_DEVICES", stranger(value)));
    checks.equal("envvar: CUDA finds none by another UUID", List.of(), uuids(none));
  }

  /** The same UUID with another first digit; the longer a prefix fits, the less it proves. */
  private static String stranger(String uuid) {
    int first = uuid.indexOf('-') + 1;
    char other = uuid.startsWith("0", first) ? '1' : '0';
    return uuid.substring(0, first) + other + uuid.substring(Math.min(uuid.length(), first + 1));
  }

  /** The pod as its only container is started; scheduler and extender find it the node. */
  private ContainerView admit(PodPlan plan) throws Exception {
    stage.owner().create(plan);
    PodState pod = stage.awaitRunning(plan.name());
    ContainerView answer = node.node().views(pod.uid()).orElseThrow().getFirst();
    console.plain("    held by the kubelet's table: " + node.held(pod.uid()));
    console.plain("    environment in the answer:   " + answer.envs());
    console.plain(
        "    device nodes in the answer:  "
            + HardwareNode.nodes(answer).stream()
                .map(found -> found.hostPath() + " " + found.permissions())
                .collect(Collectors.joining(", ", "[", "]")));
    return answer;
  }

  private List<String> held(PodPlan plan) {
    return node.cluster()
        .pod(plan.name())
        .map(pod -> List.copyOf(node.held(pod.uid()).keySet()))
        .orElse(List.of());
  }

  private static List<String> uuids(Optional<Sight> seen) {
    return seen.map(sight -> sight.uuids().stream().sorted().toList())
        .orElse(List.of("the program failed"));
  }

  private List<String> inPrivate(DevPlan dev) {
    return dev.command(setup.tools().resolve("private-dev").toString(), List.of(program()));
  }

  private String program() {
    return setup.tools().resolve("cuda-probe").toString();
  }

  private String resource() {
    return node.cluster().keys().resource();
  }

  /** The character devices of the driver, those of MIG in their folder left out. */
  private static List<String> nvidiaNodes() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/dev"))) {
      return all.filter(path -> path.getFileName().toString().startsWith("nvidia"))
          .filter(path -> !Files.isDirectory(path))
          .map(Path::toString)
          .sorted()
          .toList();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
