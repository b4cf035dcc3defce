package io.gpumem.platform.web;

import io.gpumem.platform.metrics.Counter;
import io.gpumem.platform.metrics.Label;
import io.gpumem.platform.metrics.Metrics;

/** What all servers of a process count, together. */
public final class WebMetrics {

  final Counter responses;
  final Counter handlerFailures;
  final Counter timeouts;
  final Counter refusedBodies;

  public WebMetrics(Metrics metrics) {
    responses =
        metrics.counter(
            "gpumem_http_responses_total",
            "HTTP answers by class of status.",
            Label.of("class", "2xx", "3xx", "4xx", "5xx"));
    handlerFailures =
        metrics.counter(
            "gpumem_http_handler_failures_total", "Requests whose handler threw an exception.");
    timeouts =
        metrics.counter(
            "gpumem_http_timeouts_total",
            "Connections closed because a client sent or read too slowly.",
            Label.of("direction", "read", "write"));
    refusedBodies =
        metrics.counter(
            "gpumem_http_refused_bodies_total",
            "Bodies that were too large, or for which there was no memory at the moment.",
            Label.of("reason", "too_large", "no_memory"));
  }
}
