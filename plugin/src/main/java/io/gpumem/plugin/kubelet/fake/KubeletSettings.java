package io.gpumem.plugin.kubelet.fake;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * How a stand-in kubelet behaves.
 *
 * @param root stands for {@code /var/lib/kubelet}; short, since a unix socket's path has at most
 *     107 bytes
 * @param strict whether {@code close} throws on a plugin's breach of contract that a real kubelet
 *     would let pass
 * @param seed of every choice that the kubelet makes at random
 * @param dialTimeout how long Register waits for the plugin's socket
 * @param stopGrace how long a resource without a plugin is still counted
 * @param startsContainers whether admitted pods start by themselves, or wait for {@code
 *     startContainers}
 */
public record KubeletSettings(
    Path root,
    Release release,
    boolean strict,
    long seed,
    Duration dialTimeout,
    Duration stopGrace,
    boolean startsContainers) {

  /** The longest path of a unix socket on Linux, in bytes. */
  private static final int LONGEST_SOCKET_PATH = 107;

  /** The kubelet's own (devicemanager/plugin/v1beta1/client.go). */
  private static final Duration DIAL_TIMEOUT = Duration.ofSeconds(10);

  /** The kubelet's own (devicemanager/types.go, endpointStopGracePeriod). */
  private static final Duration STOP_GRACE = Duration.ofMinutes(5);

  public KubeletSettings {
    int bytes = registrationSocket(root).toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > LONGEST_SOCKET_PATH) {
      throw new IllegalArgumentException(
          "expected a socket path of at most %d bytes but was %d: %s"
              .formatted(LONGEST_SOCKET_PATH, bytes, registrationSocket(root)));
    }
  }

  /** A strict 1.36 kubelet under that directory, with the kubelet's own time limits. */
  public static KubeletSettings at(Path root) {
    return new KubeletSettings(
        root.toAbsolutePath(), Release.V1_36, true, 1, DIAL_TIMEOUT, STOP_GRACE, true);
  }

  public KubeletSettings withRelease(Release value) {
    return new KubeletSettings(root, value, strict, seed, dialTimeout, stopGrace, startsContainers);
  }

  /** Notes breaches of contract but does not throw at the end: for tests of such breaches. */
  public KubeletSettings lenient() {
    return new KubeletSettings(
        root, release, false, seed, dialTimeout, stopGrace, startsContainers);
  }

  public KubeletSettings withSeed(long value) {
    return new KubeletSettings(
        root, release, strict, value, dialTimeout, stopGrace, startsContainers);
  }

  public KubeletSettings withDialTimeout(Duration value) {
    return new KubeletSettings(root, release, strict, seed, value, stopGrace, startsContainers);
  }

  public KubeletSettings withStopGrace(Duration value) {
    return new KubeletSettings(root, release, strict, seed, dialTimeout, value, startsContainers);
  }

  /** Admitted pods wait for {@code startContainers}. */
  public KubeletSettings withContainersHeld() {
    return new KubeletSettings(root, release, strict, seed, dialTimeout, stopGrace, false);
  }

  /** Where plugins put their sockets. */
  public Path devicePlugins() {
    return root.resolve("device-plugins");
  }

  /** Where plugins register. */
  public Path registrationSocket() {
    return registrationSocket(root);
  }

  /** Where pod resources are read. */
  public Path podResourcesSocket() {
    return root.resolve("pod-resources").resolve("kubelet.sock");
  }

  /** The file in which the table outlives the kubelet. */
  public Path checkpoint() {
    return devicePlugins().resolve("kubelet_internal_checkpoint");
  }

  private static Path registrationSocket(Path root) {
    return root.resolve("device-plugins").resolve("kubelet.sock");
  }
}
