package io.gpumem.demo.hardware;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.wire.InventoryCodec;
import io.gpumem.core.wire.Keys;
import io.gpumem.demo.process.Binaries;
import io.gpumem.demo.process.Child;
import io.gpumem.demo.process.Children;
import io.gpumem.demo.world.PlayedCluster;
import io.gpumem.demo.world.PlayedNode;
import io.gpumem.demo.world.PodPlan;
import io.gpumem.demo.world.PodState;
import io.gpumem.platform.life.Faults;
import io.gpumem.platform.life.Life;
import io.gpumem.plugin.kubelet.fake.ContainerView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One look at a machine with real GPUs: what the plugin finds, what it tells a kubelet, and whether
 * a CUDA program that gets no more than the plugin's answer sees that one device.
 */
final class Evidence {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String NODE = "gpu-node";
  private static final String VISIBLE = "NVIDIA_VISIBLE_DEVICES";

  private final Life life;
  private final Faults faults;
  private final Binaries binaries;
  private final List<String> pluginFlags;
  private final PrivateDev dev;
  private final Path place;
  private final Checks checks;
  private final Map<String, String> uids = new HashMap<>();

  /**
   * @param pluginFlags beyond those for the played kubelet, such as {@code --nvml-library}
   * @param place a folder of a short name, for sockets
   */
  Evidence(
      Life life,
      Faults faults,
      Binaries binaries,
      List<String> pluginFlags,
      PrivateDev dev,
      Path place,
      Checks checks) {
    this.life = life;
    this.faults = faults;
    this.binaries = binaries;
    this.pluginFlags = List.copyOf(pluginFlags);
    this.dev = dev;
    this.place = place;
    this.checks = checks;
  }

  /** Whether everything held. */
  boolean look() throws IOException, InterruptedException {
    Keys keys = new Keys(Keys.DEFAULT_RESOURCE);
    PlayedCluster cluster = new PlayedCluster(life, faults, keys, "http://127.0.0.1:1");
    Path kubeconfig = Files.writeString(place.resolve("kubeconfig"), cluster.kubeconfig());
    PlayedNode node = cluster.addNode(NODE, Files.createDirectory(place.resolve("k")));
    Children children = life.own("children", new Children(place));

    checks.step("The plugin starts, strategy device-specs");
    long begun = System.nanoTime();
    Child plugin = children.start("plugin", command(node, kubeconfig, "device-specs"));
    boolean registered = awaited(() -> free(node)).isPresent();
    long millis = (System.nanoTime() - begun) / 1_000_000;
    checks.check("registered with the kubelet, " + millis + " ms after its start", registered);
    Optional<Inventory> inventory = inventory(cluster, keys);
    checks.check("published an inventory", inventory.isPresent());
    if (!registered || inventory.isEmpty()) {
      checks.say(Files.readString(plugin.log()));
      return checks.summary();
    }
    describe(cluster, keys, inventory.get());
    control(inventory.get());
    deviceSpecs(cluster, node, inventory.get());
    plugin.kill();
    envvar(cluster, node, children.start("plugin-envvar", command(node, kubeconfig, "envvar")));
    return checks.summary();
  }

  private List<String> command(PlayedNode node, Path kubeconfig, String strategy) {
    List<String> flags = new ArrayList<>(pluginFlags);
    flags.addAll(
        List.of(
            "--node-name=" + node.name(),
            "--kubeconfig=" + kubeconfig,
            "--device-plugin-directory=" + node.kubelet().settings().devicePlugins(),
            "--pod-resources-socket=" + node.kubelet().settings().podResourcesSocket(),
            "--strategy=" + strategy,
            "--log-format=text",
            "--listen=127.0.0.1:0"));
    return binaries.plugin(flags);
  }

  private static Optional<Inventory> inventory(PlayedCluster cluster, Keys keys)
      throws InterruptedException {
    return awaited(
        () -> InventoryCodec.decode(cluster.annotation(NODE, keys.devices())).understood());
  }

  private void describe(PlayedCluster cluster, Keys keys, Inventory inventory) {
    checks.step("What it found and published");
    checks.say(keys.devices() + ": " + cluster.annotation(NODE, keys.devices()).orElse(""));
    checks.say(keys.summary() + ": " + cluster.annotation(NODE, keys.summary()).orElse(""));
    for (Device device : inventory.devices()) {
      checks.say(device.toString());
      checks.check(
          "GPU "
              + device.index()
              + " has "
              + device.units()
              + " units = "
              + device.usable()
              + " / 1Gi",
          device.units() == device.usable().units(inventory.unit()) && device.units() > 0);
      checks.check("GPU " + device.index() + " is healthy", device.health().isHealthy());
    }
  }

  private void control(Inventory inventory) throws IOException, InterruptedException {
    checks.step("Control: a CUDA program in the machine's own /dev, and in one with all GPU nodes");
    Seen outside = dev.runOutside(Map.of());
    checks.say(outside.text());
    List<String> all = inventory.devices().stream().map(device -> device.uuid().text()).toList();
    checks.check(
        "sees the plugin's devices, all " + all.size(),
        outside.uuids().stream().sorted().toList().equals(all.stream().sorted().toList()));
    Seen inside = dev.run(gpuNodes(), Map.of());
    checks.say(inside.text());
    checks.check(
        "a private /dev with all GPU nodes shows the same", inside.uuids().equals(outside.uuids()));
  }

  private static List<String> gpuNodes() throws IOException {
    try (Stream<Path> nodes = Files.list(Path.of("/dev"))) {
      return nodes
          .filter(node -> node.getFileName().toString().startsWith("nvidia"))
          .filter(node -> !Files.isDirectory(node))
          .map(Path::toString)
          .sorted()
          .toList();
    }
  }

  private void deviceSpecs(PlayedCluster cluster, PlayedNode node, Inventory inventory)
      throws IOException, InterruptedException {
    // Two that can't be on one device, where there are two devices.
    long size = inventory.devices().stream().mapToLong(Device::units).min().orElse(0) / 2;
    for (String name : List.of("first", "second")) {
      int units = (int) (inventory.devices().size() > 1 ? size + 1 : size);
      checks.step("Pod " + name + ", " + units + " units: device-specs");
      ContainerView view = started(cluster, node, name, units);
      String uuid = view.envs().getOrDefault(VISIBLE, "");
      List<String> nodes = view.devices().stream().map(each -> each.getHostPath()).toList();
      checks.say("device nodes " + nodes);
      Seen seen = dev.run(nodes, Map.of());
      checks.say(seen.text());
      String given = given(node, name);
      checks.check("with only these nodes CUDA sees exactly " + given, seen.isOnly(given));
      List<String> without =
          nodes.stream().filter(path -> !path.matches("/dev/nvidia\\d+")).toList();
      Seen none = dev.run(without, Map.of());
      checks.check(
          "without " + difference(nodes, without) + " it sees none", none.uuids().isEmpty());
      checks.say(uuid.isEmpty() ? "" : VISIBLE + "=" + uuid);
    }
  }

  private static List<String> difference(List<String> all, List<String> some) {
    return all.stream().filter(each -> !some.contains(each)).toList();
  }

  private void envvar(PlayedCluster cluster, PlayedNode node, Child plugin)
      throws IOException, InterruptedException {
    checks.step("Strategy envvar: the mapping only, for no container toolkit is here to act on it");
    // The first plugin's units are gone with its stream; the second's are there when it serves.
    boolean gone =
        awaited(() -> free(node).isPresent() ? Optional.<Long>empty() : Optional.of(0L))
            .isPresent();
    if (!gone || awaited(() -> free(node)).isEmpty()) {
      checks.say(Files.readString(plugin.log()));
    }
    ContainerView view = started(cluster, node, "third", 1);
    String uuid = view.envs().getOrDefault(VISIBLE, "");
    checks.say(view.envs().toString());
    Seen seen = dev.runOutside(Map.of("CUDA_VISIBLE_DEVICES", uuid));
    checks.say(seen.text());
    checks.check("CUDA_VISIBLE_DEVICES=" + uuid + " shows exactly that device", seen.isOnly(uuid));
    checks.check("it is the device that the kubelet booked", uuid.equals(given(node, "third")));
  }

  private static Optional<Long> free(PlayedNode node) {
    return free(node.kubelet().allocatable().getOrDefault(Keys.DEFAULT_RESOURCE, 0L));
  }

  private static Optional<Long> free(long units) {
    return units > 0 ? Optional.of(units) : Optional.empty();
  }

  /** The device whose units the kubelet's own table has for the pod. */
  private String given(PlayedNode node, String pod) {
    return node.kubelet().table().entrySet().stream()
        .filter(entry -> entry.getKey().equals(uids.get(pod)))
        .flatMap(entry -> entry.getValue().values().stream())
        .flatMap(ids -> ids.stream())
        .map(id -> id.substring(0, id.indexOf("::")))
        .findFirst()
        .orElse("nothing");
  }

  private ContainerView started(PlayedCluster cluster, PlayedNode node, String name, int units)
      throws InterruptedException {
    cluster.createBound(PodPlan.of(name, Keys.DEFAULT_RESOURCE, units), NODE);
    PodState pod = cluster.pod(name).orElseThrow();
    uids.put(name, pod.uid());
    return awaited(() -> node.views(pod.uid())).map(List::getFirst).orElseThrow();
  }

  private static <T> Optional<T> awaited(Supplier<Optional<T>> look) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    Optional<T> found = look.get();
    while (found.isEmpty() && System.nanoTime() < end) {
      Thread.sleep(20);
      found = look.get();
    }
    return found;
  }
}
