package io.gpumem.extender;

import io.gpumem.core.demand.Policy;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How the extender was configured.
 *
 * @param bindTimeout for one bind; it must be shorter than the httpTimeout in the scheduler's
 *     configuration, so that the scheduler hears the outcome
 * @param blindLimit how long the API server may be away until the extender says it is not ready
 */
public record ExtenderConfig(
    Keys keys,
    HostPort listen,
    ClusterSettings.Access access,
    Policy policy,
    Duration bindTimeout,
    Duration blindLimit) {

  private static final Option<Keys> RESOURCE_NAME =
      Option.of(
          "--resource-name",
          new Parser<>("a resource name such as example.com/gpu-mem", ExtenderConfig::keys),
          Keys.DEFAULT_RESOURCE,
          "The extended resource that pods ask for; all annotation keys begin with it.");
  private static final Option<HostPort> LISTEN =
      Option.of(
          "--listen",
          Parsers.hostPort(),
          ":9401",
          "Where the scheduler, probes, Prometheus and the command line are answered.");
  private static final Option<Optional<Path>> KUBECONFIG =
      Option.optional(
          "--kubeconfig",
          Parsers.path(),
          "The kubeconfig that leads to the API server; without it the pod's service account.");
  private static final Option<Optional<String>> API_URL =
      Option.optional(
          "--api-url",
          Parsers.text(),
          "The API server's URL without credentials, for tests and kubectl proxy.");
  private static final Option<Policy> POLICY =
      Option.of(
          "--policy",
          Parsers.choice(Policy.class),
          "binpack",
          "Which device is taken for a pod that names no policy.");
  private static final Option<Duration> BIND_TIMEOUT =
      Option.of(
          "--bind-timeout",
          Parsers.duration(Duration.ofMillis(500), Duration.ofSeconds(60)),
          "4s",
          "For one bind; keep it a second below httpTimeout in the scheduler's configuration.");
  private static final Option<Duration> BLIND_LIMIT =
      Option.of(
          "--blind-limit",
          Parsers.duration(Duration.ofSeconds(1), Duration.ofHours(1)),
          "1m",
          "How long without a watch until the extender says that it is not ready.");

  private static Reading<Keys> keys(String text) {
    return Keys.problem(text)
        .<Reading<Keys>>map(Reading.Bad::new)
        .orElseGet(() -> new Reading.Good<>(new Keys(text)));
  }

  /** The table of all options. */
  public static Options options() {
    return Options.of(
            List.of(
                RESOURCE_NAME,
                LISTEN,
                KUBECONFIG,
                API_URL,
                POLICY,
                BIND_TIMEOUT,
                BLIND_LIMIT,
                LogOptions.FORMAT,
                LogOptions.LEVEL))
        .rule(ExtenderConfig::oneAccess);
  }

  private static Optional<String> oneAccess(Values values) {
    boolean both = values.get(KUBECONFIG).isPresent() && values.get(API_URL).isPresent();
    return both
        ? Optional.of("--kubeconfig and --api-url don't go together; give one of them")
        : Optional.empty();
  }

  /** The configuration in these values of {@link #options()}. */
  public static ExtenderConfig from(Values values) {
    return new ExtenderConfig(
        values.get(RESOURCE_NAME),
        values.get(LISTEN),
        access(values),
        values.get(POLICY),
        values.get(BIND_TIMEOUT),
        values.get(BLIND_LIMIT));
  }

  private static ClusterSettings.Access access(Values values) {
    Optional<ClusterSettings.Access> url = values.get(API_URL).map(ClusterSettings.Url::new);
    Optional<ClusterSettings.Access> file =
        values.get(KUBECONFIG).map(ClusterSettings.Kubeconfig::new);
    return url.or(() -> file).orElseGet(ClusterSettings.Ambient::new);
  }
}
