package io.gpumem.platform.web;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * How a server listens and what it puts up with.
 *
 * @param bodyLimit the most bytes of a body
 * @param bodyBudget the most bytes of bodies in memory at one time, all requests together
 * @param readLimit from a request's first byte to its body's last
 * @param writeLimit from an answer's first byte to the end of the exchange
 * @param drainLimit how long a stop waits for the requests in progress
 */
public record WebSettings(
    InetSocketAddress listen,
    int bodyLimit,
    int bodyBudget,
    Duration readLimit,
    Duration writeLimit,
    Duration drainLimit) {

  private static final int KIB = 1024;
  private static final int MIB = 1024 * KIB;

  public WebSettings {
    if (bodyLimit < 0 || bodyBudget < bodyLimit) {
      throw new IllegalArgumentException(
          "expected a body limit within the budget of " + bodyBudget + " but was " + bodyLimit);
    }
  }

  /**
   * For a server of requests. A scheduler's request with 5,000 node names and a pod takes 200 KB,
   * so that 16 MiB are far from any good one. The limits in time are longer than any healthy client
   * in the cluster needs.
   */
  public static WebSettings defaults(InetSocketAddress listen) {
    var ten = Duration.ofSeconds(10);
    return new WebSettings(listen, 16 * MIB, 48 * MIB, ten, ten, Duration.ofSeconds(4));
  }

  /** For a server of probes and metrics only, in a process with a small heap. */
  public static WebSettings forProbes(InetSocketAddress listen) {
    return defaults(listen).withBodies(16 * KIB, MIB);
  }

  public WebSettings withBodies(int limit, int budget) {
    return new WebSettings(listen, limit, budget, readLimit, writeLimit, drainLimit);
  }

  public WebSettings withLimits(Duration read, Duration write, Duration drain) {
    return new WebSettings(listen, bodyLimit, bodyBudget, read, write, drain);
  }
}
