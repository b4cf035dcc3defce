package io.gpumem.platform.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.gpumem.platform.metrics.Metrics;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What the cluster asks every process: {@code /healthz} (restart it?), {@code /readyz} (send it
 * work?) and {@code /metrics}. A probe is answered 200 when every check is well, else 503, with a
 * line for each check.
 */
public final class OpsRoutes {

  private OpsRoutes() {}

  /** The routes. Checks of no kind at all are always well. */
  public static Routes routes(List<Check> alive, List<Check> ready, Metrics metrics) {
    var aliveChecks = List.copyOf(alive);
    var readyChecks = List.copyOf(ready);
    return Routes.none()
        .exact("GET", "/healthz", request -> probe(aliveChecks))
        .exact("GET", "/readyz", request -> probe(readyChecks))
        .exact("GET", "/metrics", request -> scrape(metrics));
  }

  private static Response probe(List<Check> checks) {
    var lines = new StringBuilder();
    boolean allWell = true;
    for (var check : checks) {
      lines.append(check.name()).append(": ");
      switch (ask(check.health())) {
        case Health.Ok() -> lines.append("ok\n");
        case Health.Bad(String why) -> {
          allWell = false;
          lines.append("not ok, ").append(why).append('\n');
        }
      }
    }
    lines.append(allWell ? "ok\n" : "not ok\n");
    // A client that was refused should find another server, not keep this connection.
    return allWell ? Response.text(200, lines.toString()) : refused(lines);
  }

  private static Response refused(StringBuilder lines) {
    return Response.text(503, lines.toString()).closing();
  }

  private static Health ask(Supplier<Health> health) {
    try {
      return health.get();
    } catch (RuntimeException e) {
      return Health.bad("the check failed: " + e);
    }
  }

  private static Response scrape(Metrics metrics) {
    var all = metrics.exposition();
    return new Response(200, all.contentType(), Map.of(), all.text().getBytes(UTF_8), false);
  }
}
