package io.gpumem.platform.web;

import io.gpumem.platform.metrics.Metrics;
import io.gpumem.platform.time.fake.ManualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A real server on a loopback port, with small limits and a clock that the test moves. */
final class TestServer implements AutoCloseable {

  static final Duration LIMIT = Duration.ofSeconds(10);
  static final int BODY_LIMIT = 100_000;

  /** Two bodies of the limit, and the smaller buffer that the second grows out of. */
  private static final int BODY_BUDGET = 280_000;

  final ManualTime time = new ManualTime();
  final WebMetrics metrics = new WebMetrics(new Metrics());

  private final AtomicInteger handling = new AtomicInteger();
  private final CountDownLatch letGo = new CountDownLatch(1);
  private final CyclicBarrier together = new CyclicBarrier(16);
  private final WebServer server =
      new WebServer(
          WebSettings.defaults(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .withBodies(BODY_LIMIT, BODY_BUDGET)
              .withLimits(LIMIT, LIMIT, Duration.ofSeconds(30)),
          routes(),
          time,
          metrics);

  TestServer() throws IOException {
    server.start();
  }

  int port() {
    return server.port();
  }

  Wire wire() throws IOException {
    return new Wire(port());
  }

  /** The body of a GET on a connection of its own. */
  String bodyOf(String path) {
    try (var wire = wire()) {
      return wire.get(path).body();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** How many requests reached the handler of /wait. */
  int handling() {
    return handling.get();
  }

  /** Lets the handler of /wait return. */
  void letGo() {
    letGo.countDown();
  }

  /** Waits until the one request in progress reads under its deadline, then lets that pass. */
  void expireOne() {
    await(() -> time.waiting() == 1);
    time.advance(LIMIT);
  }

  void stop() {
    try {
      server.stop();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    letGo();
    stop();
  }

  static String head(String path, int length) {
    return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n";
  }

  static void await(BooleanSupplier state) {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!state.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("expected a state that did not come within 20 s");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private Routes routes() {
    return Routes.none()
        .exact("GET", "/hello", request -> Response.text(200, "hello"))
        .exact("POST", "/echo", request -> Response.json(200, request.body()))
        .exact("GET", "/empty", request -> Response.text(204, ""))
        .exact("GET", "/large", request -> Response.text(200, "x".repeat(64 << 20)))
        .exact("GET", "/bye", request -> Response.error(503, "not leading").closing())
        .exact("GET", "/fail", TestServer::fail)
        .exact("GET", "/overflow", TestServer::overflow)
        .exact("GET", "/together", request -> Response.text(200, "" + together.await()))
        .exact("POST", "/wait", this::waitForTest)
        .exact("GET", "/show", TestServer::show);
  }

  private Response waitForTest(Request request) throws InterruptedException {
    handling.incrementAndGet();
    if (!letGo.await(30, TimeUnit.SECONDS)) {
      throw new AssertionError("expected the test to let go within 30 s");
    }
    return Response.json(200, request.body());
  }

  private static Response show(Request request) {
    var query =
        request.query().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(Object::toString)
            .toList();
    var odd = request.header("x-ODD").orElse("none");
    return Response.text(200, request.method() + " " + request.path() + " " + query + " " + odd);
  }

  private static Response fail(Request request) throws IOException {
    throw new IOException("broken: " + request.path());
  }

  private static Response overflow(Request request) {
    throw new StackOverflowError("as from a body nested deeply, at " + request.path());
  }
}
