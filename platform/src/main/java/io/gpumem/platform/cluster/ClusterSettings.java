package io.gpumem.platform.cluster;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Where the API server is and how patient we are with it.
 *
 * @param component our name: user agent, and the source of our events
 */
public record ClusterSettings(Access access, String component, Patience patience) {

  public static ClusterSettings of(Access access, String component) {
    return new ClusterSettings(access, component, Patience.DEFAULT);
  }

  public ClusterSettings withPatience(Patience changed) {
    return new ClusterSettings(access, component, changed);
  }

  /** Where the API server and our credentials are. */
  public sealed interface Access {}

  /**
   * The client library's own rules: system properties, environment, kubeconfig, service account.
   */
  public record Ambient() implements Access {}

  /** This kubeconfig and nothing else. */
  public record Kubeconfig(Path file) implements Access {}

  /** This URL without credentials. */
  public record Url(String url) implements Access {}

  /**
   * The numbers.
   *
   * @param request one read or one write without a deadline of its own, and each page of a list
   * @param silence a watch on which nothing was heard for this long is dead. A server sends a
   *     bookmark about once a minute, so this should be over two minutes
   * @param watch how long the server is asked to keep one watch; a tenth is taken off by chance
   * @param relist how often a list is made though nothing seems to be missing
   * @param backOffMin the first wait after a failure; it doubles
   * @param backOffMax the longest wait after failures
   * @param pageSize objects in one page of a list
   */
  public record Patience(
      Duration request,
      Duration silence,
      Duration watch,
      Duration relist,
      Duration backOffMin,
      Duration backOffMax,
      int pageSize) {

    /**
     * For production. Ten seconds at most between tries keep the blindness after an outage short,
     * and cost the server little. 500 is the page size of kubectl and client-go.
     */
    public static final Patience DEFAULT =
        new Patience(
            Duration.ofSeconds(15),
            Duration.ofSeconds(150),
            Duration.ofMinutes(8),
            Duration.ofHours(1),
            Duration.ofMillis(200),
            Duration.ofSeconds(10),
            500);

    public Patience {
      requirePositive("request", request);
      requirePositive("silence", silence);
      requirePositive("watch", watch);
      requirePositive("relist", relist);
      requirePositive("backOffMin", backOffMin);
      if (backOffMax.compareTo(backOffMin) < 0) {
        throw new IllegalArgumentException(
            "expected backOffMax of at least %s but was %s".formatted(backOffMin, backOffMax));
      }
      if (pageSize < 1) {
        throw new IllegalArgumentException("expected a page size but was " + pageSize);
      }
    }

    private static void requirePositive(String name, Duration duration) {
      if (!duration.isPositive()) {
        throw new IllegalArgumentException(
            "expected %s to be positive but was %s".formatted(name, duration));
      }
    }
  }
}
