package io.gpumem.platform.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.metrics.Metrics;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpsRoutesTest {

  private final Metrics metrics = new Metrics();

  @Test
  void answersLivenessAndReadinessApart() throws Exception {
    var routes =
        OpsRoutes.routes(
            List.of(new Check("loop", Health::ok)),
            List.of(
                new Check("loop", Health::ok),
                new Check("watch", () -> Health.bad("not synced for 5s"))),
            metrics);

    var alive = get(routes, "/healthz");
    var ready = get(routes, "/readyz");

    assertEquals(200, alive.status());
    assertEquals("loop: ok\nok\n", text(alive));
    assertFalse(alive.close());
    assertEquals(503, ready.status());
    assertEquals("loop: ok\nwatch: not ok, not synced for 5s\nnot ok\n", text(ready));
    assertTrue(ready.close());
  }

  @Test
  void takesACheckThatThrowsAsNotWell() throws Exception {
    var check =
        new Check(
            "odd",
            () -> {
              throw new IllegalStateException("broken");
            });
    var routes = OpsRoutes.routes(List.of(check), List.of(), metrics);

    assertEquals(503, get(routes, "/healthz").status());
    assertTrue(text(get(routes, "/healthz")).contains("broken"));
    assertEquals(200, get(routes, "/readyz").status());
  }

  @Test
  void showsTheMetrics() throws Exception {
    metrics.counter("gpumem_binds_total", "Binds.").increment();

    var response = get(OpsRoutes.routes(List.of(), List.of(), metrics), "/metrics");

    assertEquals("text/plain; version=0.0.4; charset=utf-8", response.contentType());
    assertTrue(text(response).contains("gpumem_binds_total 1.0\n"));
  }

  private static Response get(Routes routes, String path) throws Exception {
    var match = assertInstanceOf(Routes.Match.Found.class, routes.match("GET", path));
    return match.handler().handle(Request.get(path));
  }

  private static String text(Response response) {
    return new String(response.body(), UTF_8);
  }
}
