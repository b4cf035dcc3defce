package io.gpumem.plugin.kubelet.fake;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.plugin.kubelet.fake.KubeletEvent.ContainerWaiting;
import io.gpumem.plugin.kubelet.fake.KubeletEvent.PodFailed;
import io.gpumem.plugin.kubelet.fake.KubeletEvent.PodRunning;
import io.gpumem.proto.deviceplugin.v1beta1.Device;
import io.gpumem.proto.deviceplugin.v1beta1.NUMANode;
import io.gpumem.proto.deviceplugin.v1beta1.TopologyInfo;
import io.gpumem.proto.podresources.v1.PodResourcesListerGrpc;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** A stand-in kubelet with what a test around it needs: its events, plugins, pods by name. */
final class Rig implements AutoCloseable {
  static final String RESOURCE = "example.com/gpu-mem";
  static final Duration LIMIT = Duration.ofSeconds(20);

  final StandInKubelet kubelet;
  final List<KubeletEvent> events = new CopyOnWriteArrayList<>();
  private final List<TinyPlugin> plugins = new ArrayList<>();
  private final UnixTransport transport = new UnixTransport(new Findings());
  private final List<ManagedChannel> channels = new ArrayList<>();

  Rig(KubeletSettings settings) throws Exception {
    kubelet = StandInKubelet.start(settings, events::add);
  }

  /** A strict kubelet: the test fails at its end if the plugin broke the contract. */
  static Rig strict(Path root) throws Exception {
    return new Rig(KubeletSettings.at(root));
  }

  static Rig lenient(Path root) throws Exception {
    return new Rig(KubeletSettings.at(root).lenient());
  }

  /** A registered plugin with healthy devices d00, d01 and so on. */
  TinyPlugin plugin(int devices) throws Exception {
    TinyPlugin plugin = unregistered(devices);
    int before = kubelet.lists().size();
    plugin.register();
    // The node's status alone may still show the devices of an earlier plugin.
    eventually("the list arrived", () -> kubelet.lists().size() > before);
    return plugin;
  }

  TinyPlugin unregistered(int devices) throws Exception {
    TinyPlugin plugin = new TinyPlugin(kubelet.settings().devicePlugins(), RESOURCE);
    plugins.add(plugin);
    plugin.publish(devices(devices));
    return plugin;
  }

  TinyPlugin named(String endpoint) throws Exception {
    TinyPlugin plugin = new TinyPlugin(kubelet.settings().devicePlugins(), RESOURCE, endpoint);
    plugins.add(plugin);
    return plugin;
  }

  PodResourcesListerGrpc.PodResourcesListerBlockingStub podResources() {
    ManagedChannel channel = transport.channel(kubelet.settings().podResourcesSocket());
    channels.add(channel);
    return PodResourcesListerGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
  }

  static List<Device> devices(int count) {
    return IntStream.range(0, count).mapToObj(n -> device(n, "Healthy")).toList();
  }

  static Device device(int number, String health, long... numaNodes) {
    Device.Builder device = Device.newBuilder().setID("d%02d".formatted(number)).setHealth(health);
    if (numaNodes.length > 0) {
      TopologyInfo.Builder topology = TopologyInfo.newBuilder();
      for (long node : numaNodes) {
        topology.addNodes(NUMANode.newBuilder().setID(node));
      }
      device.setTopology(topology);
    }
    return device.build();
  }

  /** A pod of namespace {@code team}; its UID is {@code uid-<name>}. */
  static KubeletPod pod(String name, KubeletContainer... containers) {
    return pod("uid-" + name, name, Instant.EPOCH, containers);
  }

  static KubeletPod pod(
      String uid, String name, Instant createdAt, KubeletContainer... containers) {
    return new KubeletPod(uid, "team", name, createdAt, List.of(containers));
  }

  /** A pod of one app container {@code main} of so many units. */
  static KubeletPod podOf(String name, int units) {
    return pod(name, KubeletContainer.app("main", RESOURCE, units));
  }

  /** Adds the pod and returns what became of it. */
  KubeletEvent run(KubeletPod pod) throws Exception {
    kubelet.add(pod);
    kubelet.awaitIdle(LIMIT);
    return outcome(pod.uid());
  }

  PodRunning running(KubeletPod pod) throws Exception {
    return assertInstanceOf(PodRunning.class, run(pod));
  }

  PodFailed failed(KubeletPod pod) throws Exception {
    return assertInstanceOf(PodFailed.class, run(pod));
  }

  /** The latest event of the pod. */
  KubeletEvent outcome(String uid) {
    return outcomes(uid).getLast();
  }

  List<KubeletEvent> outcomes(String uid) {
    return events.stream().filter(event -> uid.equals(uidOf(event))).toList();
  }

  private static String uidOf(KubeletEvent event) {
    return switch (event) {
      case PodRunning running -> running.pod().uid();
      case PodFailed failed -> failed.pod().uid();
      case ContainerWaiting waiting -> waiting.pod().uid();
      case KubeletEvent.CapacityChanged _ -> "";
    };
  }

  /** What the container holds by the kubelet's inner truth. */
  SortedSet<String> held(String uid, String container) {
    var containers = kubelet.table().get(uid);
    return containers == null || !containers.containsKey(container)
        ? new TreeSet<>()
        : containers.get(container);
  }

  /** Waits on state that nobody announces. */
  static void eventually(String claim, BooleanSupplier state) throws InterruptedException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!state.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "expected within " + LIMIT + ": " + claim);
      Thread.sleep(2);
    }
  }

  @Override
  public void close() {
    channels.forEach(channel -> transport.stop(channel, "a channel of the test"));
    transport.close();
    plugins.forEach(TinyPlugin::close);
    kubelet.close();
  }
}
