package io.gpumem.plugin;

import io.gpumem.core.units.Memory;
import io.gpumem.core.wire.Keys;
import io.gpumem.platform.cluster.ClusterSettings;
import io.gpumem.platform.options.HostPort;
import io.gpumem.platform.options.LogOptions;
import io.gpumem.platform.options.Option;
import io.gpumem.platform.options.Options;
import io.gpumem.platform.options.Parser;
import io.gpumem.platform.options.Parsers;
import io.gpumem.platform.options.Reading;
import io.gpumem.platform.options.Values;
import io.gpumem.plugin.allocate.ContainerView.Strategy;
import io.gpumem.plugin.inventory.Sizes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The plugin's options: the table, and what it came to. */
record PluginConfig(Values values) {

  private static final Duration NONE = Duration.ZERO;
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);

  static final Option<String> NODE_NAME =
      Option.required(
          "--node-name",
          Parsers.text(),
          "The node's name as the API server knows it; in a pod, the field spec.nodeName.");

  static final Option<String> RESOURCE_NAME =
      Option.of(
          "--resource-name",
          new Parser<>(
              "a resource name such as example.com/gpu-mem",
              text ->
                  Keys.problem(text)
                      .<Reading<String>>map(Reading.Bad::new)
                      .orElseGet(() -> new Reading.Good<>(text))),
          Keys.DEFAULT_RESOURCE,
          "The resource that pods ask for; one name for the whole cluster.");

  static final Option<Memory> UNIT =
      Option.of(
          "--unit",
          Parsers.memory(),
          "1Gi",
          "The step in which memory is sold; one value for the whole cluster.");

  static final Option<List<String>> DEVICE_MEMORY =
      Option.of(
          "--device-memory",
          Parsers.list(
              Parser.of(
                  "an index or UUID and a size such as 1=120Gi",
                  text -> Sizes.problem(text).isEmpty() ? Optional.of(text) : Optional.empty())),
          "",
          "Sizes of devices whose memory NVML cannot tell.");

  static final Option<Optional<Path>> SIMULATED_MACHINE =
      Option.optional(
          "--simulated-machine",
          Parsers.path(),
          "Take the GPUs from this file instead of NVML; see docs/simulated-machines.md.");

  static final Option<Optional<Path>> NVML_LIBRARY =
      Option.optional(
          "--nvml-library",
          Parsers.path(),
          "The file libnvidia-ml.so.1, where it is not found by itself.");

  static final Option<Path> DRIVER_ROOT =
      Option.of(
          "--driver-root",
          Parsers.path(),
          "/",
          "The root of the file system that has the driver's libraries.");

  static final Option<Path> DEV_ROOT =
      Option.of("--dev-root", Parsers.path(), "/dev", "Where the host's /dev is seen.");

  static final Option<Path> DEVICE_PLUGIN_DIRECTORY =
      Option.of(
          "--device-plugin-directory",
          Parsers.path(),
          "/var/lib/kubelet/device-plugins",
          "The kubelet's directory for device plugins; the kubelet itself can't move it.");

  static final Option<Path> POD_RESOURCES_SOCKET =
      Option.of(
          "--pod-resources-socket",
          Parsers.path(),
          "/var/lib/kubelet/pod-resources/kubelet.sock",
          "The kubelet's socket for pod resources.");

  static final Option<List<Strategy>> STRATEGY =
      Option.of(
          "--strategy",
          Parsers.list(Parsers.choice(Strategy.class)),
          "envvar",
          "How a container is given its devices: a variable for the NVIDIA runtime, nodes under"
              + " /dev, or both.");

  static final Option<Boolean> NUMA_HINTS =
      Option.off(
          "--numa-hints",
          "Tell the kubelet each device's NUMA node; safe only with topology policy none.");

  static final Option<Duration> RESERVATION_WAIT =
      Option.of(
          "--reservation-wait",
          Parsers.duration(NONE, MINUTE),
          "200ms",
          "How long a preferred call waits for the pod's reservation to show.");

  static final Option<Duration> SCAN_INTERVAL =
      Option.of(
          "--scan-interval",
          Parsers.duration(Duration.ofMillis(50), HOUR),
          "5s",
          "How often the GPUs are looked at.");

  static final Option<Integer> GOOD_SCANS =
      Option.of(
          "--good-scans",
          Parsers.integer(1, 1000),
          "3",
          "After how many good scans in a row a bad device is good again.");

  static final Option<Duration> POLL_INTERVAL =
      Option.of(
          "--poll-interval",
          Parsers.duration(Duration.ofMillis(10), MINUTE),
          "1s",
          "How often the kubelet's sockets are looked at where no event tells.");

  static final Option<Boolean> INOTIFY =
      Option.on("--inotify", "Watch the kubelet's directory by inotify as well.");

  static final Option<HostPort> LISTEN =
      Option.of(
          "--listen",
          Parsers.hostPort(),
          ":9440",
          "Address of /healthz, /readyz and /metrics; port 0 lets the system choose.");

  static final Option<Optional<Path>> KUBECONFIG =
      Option.optional(
          "--kubeconfig", Parsers.path(), "A kubeconfig; in a pod, its service account is used.");

  /** The table, in the order in which it is shown. */
  static final Options OPTIONS =
      Options.of(
              List.of(
                  NODE_NAME,
                  RESOURCE_NAME,
                  UNIT,
                  DEVICE_MEMORY,
                  SIMULATED_MACHINE,
                  NVML_LIBRARY,
                  DRIVER_ROOT,
                  DEV_ROOT,
                  DEVICE_PLUGIN_DIRECTORY,
                  POD_RESOURCES_SOCKET,
                  STRATEGY,
                  NUMA_HINTS,
                  RESERVATION_WAIT,
                  SCAN_INTERVAL,
                  GOOD_SCANS,
                  POLL_INTERVAL,
                  INOTIFY,
                  LISTEN,
                  KUBECONFIG,
                  LogOptions.FORMAT,
                  LogOptions.LEVEL))
          .rule(
              values ->
                  values.get(UNIT).mib() == 0
                      ? Optional.of("--unit: expected more than nothing")
                      : Optional.empty())
          .rule(
              values ->
                  values.get(STRATEGY).isEmpty()
                      ? Optional.of("--strategy: expected at least one")
                      : Optional.empty());

  <T> T get(Option<T> option) {
    return values.get(option);
  }

  Keys keys() {
    return new Keys(get(RESOURCE_NAME));
  }

  ClusterSettings cluster() {
    ClusterSettings.Access access =
        get(KUBECONFIG)
            .<ClusterSettings.Access>map(ClusterSettings.Kubeconfig::new)
            .orElseGet(ClusterSettings.Ambient::new);
    return ClusterSettings.of(access, "gpu-mem-plugin");
  }
}
