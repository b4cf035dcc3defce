package io.gpumem.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.wire.Keys;
import io.gpumem.platform.life.ExitCode;
import io.gpumem.platform.life.Invocation;
import io.gpumem.platform.life.Life;
import io.gpumem.platform.life.Program;
import io.gpumem.platform.life.fake.RecordedFaults;
import io.gpumem.platform.log.LogFormat;
import io.gpumem.platform.log.Logging;
import io.gpumem.platform.options.Values;
import io.gpumem.plugin.kubelet.fake.KubeletContainer;
import io.gpumem.plugin.kubelet.fake.KubeletEvent;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import io.gpumem.plugin.kubelet.fake.KubeletSettings;
import io.gpumem.plugin.kubelet.fake.StandInKubelet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.function.ThrowingSupplier;
import org.slf4j.event.Level;

/**
 * The real plugin, all of its wiring, between a stand-in kubelet, a stand-in API server and a
 * simulated machine. What the kubelet does to pods is written into the API server, as a real one
 * would.
 */
final class PluginOnSockets implements AutoCloseable {

  static final String RESOURCE = Keys.DEFAULT_RESOURCE;
  static final String NODE = "n1";

  /** No test means this limit: it turns "never" into a failure. */
  static final Duration LIMIT = Duration.ofSeconds(20);

  final ApiSide api = new ApiSide(NODE);
  final StandInKubelet kubelet;
  final CardFile cards;
  private final Path root;
  private final List<KubeletEvent> events = new CopyOnWriteArrayList<>();
  private final RecordedFaults faults = new RecordedFaults();
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private final int port;
  private Life life = new Life();
  private Optional<CompletableFuture<Integer>> running = Optional.empty();

  PluginOnSockets(Path root, CardFile cards) throws IOException {
    this(root, cards, KubeletSettings.at(root.resolve("k")));
  }

  PluginOnSockets(Path root, CardFile cards, KubeletSettings kubelet) throws IOException {
    this.root = root;
    this.cards = cards;
    this.kubelet = StandInKubelet.start(kubelet, this::on);
    Files.writeString(root.resolve("kubeconfig"), api.server.kubeconfig());
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      this.port = free.getLocalPort();
    }
  }

  /** Cards of so many MiB each and a plugin that serves them. */
  static PluginOnSockets serving(Path root, int... mib) throws Exception {
    PluginOnSockets all = new PluginOnSockets(root, CardFile.of(root, mib));
    all.start();
    all.awaitServing();
    return all;
  }

  private void on(KubeletEvent event) {
    events.add(event);
    switch (event) {
      case KubeletEvent.PodRunning started -> api.phase(started.pod(), "Running");
      case KubeletEvent.PodFailed failed -> api.phase(failed.pod(), "Failed");
      case KubeletEvent.ContainerWaiting waiting -> {}
      case KubeletEvent.CapacityChanged changed -> {}
    }
  }

  /** Starts the plugin with more flags; it runs until {@link #stop}. */
  void start(String... more) {
    List<String> args = new ArrayList<>(flags());
    args.addAll(List.of(more));
    life = new Life();
    Invocation invocation = new Invocation(args, Map.of(), System.out, System.err, life, faults);
    CompletableFuture<Integer> code = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("plugin-under-test")
        .start(() -> code.complete(Program.call(invocation, this::plugin)));
    running = Optional.of(code);
  }

  /** As {@link Plugin#run}, but for where the log goes. */
  private int plugin(Invocation invocation) throws Exception {
    Values values =
        assertInstanceOf(
            Values.class, PluginConfig.OPTIONS.parse(invocation.args(), invocation.env()));
    Logging.configure(LogFormat.TEXT, Level.WARN, log, InstantSource.system());
    return Plugin.start(invocation, new PluginConfig(values));
  }

  /** The lines that were logged so far, by whatever runs in this process. */
  List<String> logged() {
    return log.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private List<String> flags() {
    return List.of(
        "--node-name=" + NODE,
        "--simulated-machine=" + cards.path(),
        "--device-plugin-directory=" + kubelet.settings().devicePlugins(),
        "--pod-resources-socket=" + kubelet.settings().podResourcesSocket(),
        "--kubeconfig=" + root.resolve("kubeconfig"),
        "--listen=127.0.0.1:" + port,
        "--scan-interval=50ms",
        "--good-scans=2",
        "--poll-interval=50ms");
  }

  /** Waits until the kubelet shows all healthy units, and the books are published. */
  void awaitServing() throws Exception {
    eventually(
        "the plugin serves",
        () -> kubelet.openStreams() == 1 && kubelet.allocatable().getOrDefault(RESOURCE, 0L) > 0);
    eventually("the books are published", () -> api.published().isPresent());
  }

  /** Ends the plugin as a signal does; its exit code. */
  int stop() throws Exception {
    life.end(ExitCode.OK, "test");
    return exitCode();
  }

  /** Waits until the plugin has ended by itself. */
  int exitCode() throws Exception {
    return running.orElseThrow().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  /** Creates a pod and binds it as the extender does. */
  KubeletPod bound(String name, KubeletContainer... containers) {
    KubeletPod pod = api.create(name, containers);
    api.bind(pod);
    return pod;
  }

  KubeletPod bound(String name, int units) {
    return bound(name, ApiSide.main(units));
  }

  /** Hands the pod to the kubelet and returns what became of it. */
  KubeletEvent admit(KubeletPod pod) throws Exception {
    kubelet.add(pod);
    kubelet.awaitIdle(LIMIT);
    return outcome(pod);
  }

  /** The pod as it was started; fails when it was not. */
  KubeletEvent.PodRunning run(KubeletPod pod) throws Exception {
    KubeletEvent outcome = admit(pod);
    if (outcome instanceof KubeletEvent.PodRunning started) {
      return started;
    }
    throw new AssertionError("expected a running pod but was " + outcome);
  }

  /** The latest event of the pod. */
  KubeletEvent outcome(KubeletPod pod) {
    return events.stream()
        .filter(event -> podOf(event).filter(pod::equals).isPresent())
        .reduce((first, last) -> last)
        .orElseThrow(() -> new AssertionError("nothing became of " + pod));
  }

  private static Optional<KubeletPod> podOf(KubeletEvent event) {
    return switch (event) {
      case KubeletEvent.PodRunning started -> Optional.of(started.pod());
      case KubeletEvent.PodFailed failed -> Optional.of(failed.pod());
      case KubeletEvent.ContainerWaiting waiting -> Optional.of(waiting.pod());
      case KubeletEvent.CapacityChanged changed -> Optional.empty();
    };
  }

  /** Deletes the pod: its processes end, the object goes, the devices are free. */
  void delete(KubeletPod pod) {
    kubelet.terminate(pod.uid());
    kubelet.stopped(pod.uid());
    api.remove(pod);
  }

  /** What the container holds by the kubelet's own table: device to units. */
  Map<DeviceUuid, Long> held(KubeletPod pod, String container) {
    Map<DeviceUuid, Long> held = new TreeMap<>();
    var containers = kubelet.table().get(pod.uid());
    if (containers != null && containers.containsKey(container)) {
      containers
          .get(container)
          .forEach(id -> held.merge(DeviceId.parse(id).orElseThrow().device(), 1L, Long::sum));
    }
    return held;
  }

  /** The one device of a container, by the kubelet's own table. */
  DeviceUuid card(KubeletPod pod) {
    Map<DeviceUuid, Long> held = held(pod, "main");
    assertEquals(1, held.size(), () -> "expected one card but was " + held);
    return held.keySet().iterator().next();
  }

  /** A page of the plugin's own HTTP server. */
  HttpResponse<String> get(String path) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  /** The sum of a metric's samples whose line contains the text. */
  double metric(String name, String... parts) throws Exception {
    return get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .filter(line -> List.of(parts).stream().allMatch(line::contains))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** Looks at the GPUs with this outcome; none while the plugin's page is not there yet. */
  double scans(String outcome) throws Exception {
    try {
      return metric("gpumem_nvml_scans_total", outcome);
    } catch (ConnectException notYet) {
      return 0;
    }
  }

  /** Waits on state that nobody announces. */
  static void eventually(String claim, ThrowingSupplier<Boolean> state) throws Exception {
    eventually(claim, LIMIT, state);
  }

  static void eventually(String claim, Duration limit, ThrowingSupplier<Boolean> state)
      throws Exception {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      while (!state.get()) {
        assertTrue(System.nanoTime() < deadline, "expected within " + limit + ": " + claim);
        Thread.sleep(10);
      }
    } catch (Exception | Error failed) {
      throw failed;
    } catch (Throwable other) {
      throw new AssertionError(other);
    }
  }

  /** Waits until a supplied value is the expected one, and shows what it was when it never is. */
  static <T> void eventuallyEquals(T expected, ThrowingSupplier<T> actual) throws Exception {
    try {
      long deadline = System.nanoTime() + LIMIT.toNanos();
      while (!expected.equals(actual.get())) {
        if (System.nanoTime() > deadline) {
          assertEquals(expected, actual.get());
        }
        Thread.sleep(10);
      }
    } catch (Exception | Error failed) {
      throw failed;
    } catch (Throwable other) {
      throw new AssertionError(other);
    }
  }

  @Override
  public void close() throws Exception {
    api.server.refusing(false);
    api.server.unplugged(false);
    cards.hang(false);
    if (running.isPresent() && !running.get().isDone()) {
      stop();
    }
    kubelet.close();
    api.close();
    faults.close();
  }
}
