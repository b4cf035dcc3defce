package io.gpumem.platform.web;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One exchange from its head to its end: route, read, handle, answer. An {@link IOException} goes
 * out to the JDK's server, which only then forgets the connection; closing the exchange here would
 * leave the connection in its books for good.
 */
final class Exchanges {

  private static final Logger log = LoggerFactory.getLogger(Exchanges.class);

  /** How much of a refused body is read to its end, so that the client gets to see why. */
  private static final int DISCARDED_LIMITS = 4;

  /** How much of an answer is written at once: an answer of 100 KB takes four system calls. */
  private static final int SLICE = 32 * 1024;

  private final WebSettings settings;
  private final Routes routes;
  private final WebMetrics metrics;
  private final BodyReader bodies;
  private final BooleanSupplier draining;

  Exchanges(WebSettings settings, Routes routes, WebMetrics metrics, BooleanSupplier draining) {
    this.settings = settings;
    this.routes = routes;
    this.metrics = metrics;
    this.bodies = new BodyReader(settings.bodyLimit(), settings.bodyBudget());
    this.draining = draining;
  }

  void handle(HttpExchange exchange, Deadline reading) throws IOException {
    try (var share = bodies.share()) {
      var response = answer(exchange, share, reading);
      reading.disarm();
      reading.arm(settings.writeLimit(), () -> metrics.timeouts.increment("write"));
      send(exchange, response);
      reading.disarm();
    }
  }

  private Response answer(HttpExchange exchange, BodyReader.Share share, Deadline reading)
      throws IOException {
    if (draining.getAsBoolean()) {
      return Response.error(503, "the server stops").closing();
    }
    var path = Optional.ofNullable(exchange.getRequestURI().getPath()).orElse("");
    return switch (routes.match(exchange.getRequestMethod(), path)) {
      case Routes.Match.NoPath() -> Response.error(404, "nothing is at " + path);
      case Routes.Match.NoMethod(String allowed) ->
          Response.error(405, path + " takes only " + allowed).with("Allow", allowed);
      case Routes.Match.Found(Handler handler) -> readAndHandle(exchange, share, reading, handler);
    };
  }

  private Response readAndHandle(
      HttpExchange exchange, BodyReader.Share share, Deadline reading, Handler handler)
      throws IOException {
    return switch (bodies.read(exchange.getRequestBody(), announced(exchange), share)) {
      case BodyReader.Outcome.Complete(byte[] body) -> {
        reading.disarm();
        yield handled(RequestReader.read(exchange, body), handler);
      }
      case BodyReader.Outcome.TooLarge() -> {
        metrics.refusedBodies.increment("too_large");
        yield Response.error(413, "the body is larger than " + settings.bodyLimit() + " bytes")
            .closing();
      }
      case BodyReader.Outcome.NoMemory() -> {
        metrics.refusedBodies.increment("no_memory");
        yield Response.error(503, "too many large requests at one time, try again").closing();
      }
    };
  }

  /**
   * Errors too: a body nested so deep that the stack overflows must not end the server. Out of
   * memory is no fault of one request, though, and ends the process as an uncaught error.
   */
  private Response handled(Request request, Handler handler) {
    try {
      return handler.handle(request);
    } catch (Throwable thrown) {
      if (thrown instanceof VirtualMachineError error && !(thrown instanceof StackOverflowError)) {
        throw error;
      }
      metrics.handlerFailures.increment();
      log.atError()
          .setCause(thrown)
          .addKeyValue("method", request.method())
          .addKeyValue("path", request.path())
          .log("handler failed");
      return Response.error(500, "the request failed inside the server, see its log");
    }
  }

  private void send(HttpExchange exchange, Response response) throws IOException {
    metrics.responses.increment(response.status() / 100 + "xx");
    var headers = exchange.getResponseHeaders();
    response.headers().forEach(headers::set);
    headers.set("Content-Type", response.contentType());
    if (response.close() || draining.getAsBoolean()) {
      headers.set("Connection", "close");
    }
    var body = response.body();
    if (exchange.getRequestMethod().equals("HEAD")) {
      headers.set("Content-Length", Integer.toString(body.length));
      exchange.sendResponseHeaders(response.status(), -1);
    } else if (body.length == 0 || response.status() == 204 || response.status() == 304) {
      exchange.sendResponseHeaders(response.status(), -1);
    } else {
      exchange.sendResponseHeaders(response.status(), body.length);
      write(exchange.getResponseBody(), body);
      finish(exchange, response);
    }
  }

  /**
   * Closing a socket with unread bytes resets it, and the reset may overtake our answer. So what a
   * refused client still sends is read and thrown away, up to a bound and under the write limit.
   */
  private void finish(HttpExchange exchange, Response response) throws IOException {
    var out = exchange.getResponseBody();
    if (response.close()) {
      out.flush();
      BodyReader.discard(exchange.getRequestBody(), (long) DISCARDED_LIMITS * settings.bodyLimit());
    }
    out.close();
  }

  /**
   * The JDK's stream keeps, for the connection's life, a buffer twice as large as any one write.
   */
  private static void write(OutputStream out, byte[] body) throws IOException {
    for (int at = 0; at < body.length; at += SLICE) {
      out.write(body, at, Math.min(SLICE, body.length - at));
    }
  }

  private static long announced(HttpExchange exchange) {
    var length = exchange.getRequestHeaders().getFirst("Content-Length");
    // The JDK's server has refused anything that is not a number by now.
    return length == null ? -1 : Long.parseLong(length);
  }
}
