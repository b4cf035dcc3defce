package io.gpumem.platform.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.metrics.Metrics;
import io.gpumem.platform.time.fake.ManualTime;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WebServerTest {

  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int BODY_LIMIT = 1_000;
  private static final int BODY_BUDGET = 2_000;

  private final ManualTime time = new ManualTime();
  private final WebMetrics metrics = new WebMetrics(new Metrics());
  private final AtomicInteger handling = new AtomicInteger();
  private final CountDownLatch letGo = new CountDownLatch(1);
  private final CyclicBarrier together = new CyclicBarrier(16);

  private final Routes routes =
      Routes.none()
          .exact("GET", "/hello", request -> Response.text(200, "hello"))
          .exact("POST", "/echo", request -> Response.json(200, request.body()))
          .exact("GET", "/empty", request -> Response.text(204, ""))
          .exact("GET", "/large", request -> Response.text(200, "x".repeat(64 << 20)))
          .exact("GET", "/bye", request -> Response.error(503, "not leading").closing())
          .exact("GET", "/fail", WebServerTest::fail)
          .exact("GET", "/overflow", WebServerTest::overflow)
          .exact("GET", "/together", request -> Response.text(200, "" + together.await()))
          .exact("POST", "/wait", this::waitForTest)
          .exact("GET", "/show", WebServerTest::show);

  private final WebServer server =
      new WebServer(
          WebSettings.defaults(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .withBodies(BODY_LIMIT, BODY_BUDGET)
              .withLimits(LIMIT, LIMIT, Duration.ofSeconds(30)),
          routes,
          time,
          metrics);

  @BeforeEach
  void start() throws IOException {
    server.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    letGo.countDown();
    server.stop();
  }

  @Test
  void keepsAConnectionForManyRequests() throws IOException {
    try (var wire = wire()) {
      for (int i = 0; i < 5; i++) {
        assertEquals("hello", wire.get("/hello").body());
        assertEquals("{\"n\":1}", wire.post("/echo", "{\"n\":1}").body());
        assertEquals(404, wire.get("/nothing").status());
        assertEquals(204, wire.get("/empty").status());
      }
    }
    assertEquals(15, metrics.responses.count("2xx"));
    assertEquals(5, metrics.responses.count("4xx"));
    await(() -> time.waiting() == 0);
  }

  @Test
  void serves16RequestsAtOnce() throws Exception {
    var answers = new ArrayList<CompletableFuture<String>>();
    for (int i = 0; i < 16; i++) {
      answers.add(
          CompletableFuture.supplyAsync(() -> bodyOf("/together"), Thread::startVirtualThread));
    }

    for (var answer : answers) {
      assertFalse(answer.get(20, TimeUnit.SECONDS).isEmpty());
    }
  }

  @Test
  void handsPathQueryAndHeadersOver() throws IOException {
    try (var wire = wire()) {
      var answer =
          wire.send("GET /show?a=%C3%A9+b&a=2&c HTTP/1.1\r\nHost: x\r\nX-Odd: y\r\n\r\n").answer();

      assertEquals("GET /show [a=\u00c3\u00a9 b, c=] y", answer.body());
    }
  }

  @Test
  void answersHeadWithTheLengthAndNoBody() throws IOException {
    try (var wire = wire()) {
      var head = wire.send("HEAD /hello HTTP/1.1\r\nHost: x\r\n\r\n").answerWithoutBody();

      assertEquals(200, head.status());
      assertEquals("5", head.headers().get("content-length"));
      assertEquals("hello", wire.get("/hello").body());
    }
  }

  @Test
  void answersUnknownPathsAndMethods() throws IOException {
    try (var wire = wire()) {
      var unknown = wire.get("/a\"b".replace("\"", "%22"));
      assertEquals(404, unknown.status());
      assertEquals("{\"error\":\"nothing is at /a\\\"b\"}", unknown.body());

      var wrong = wire.post("/hello", "x");
      assertEquals(405, wrong.status());
      assertEquals("GET, HEAD", wrong.headers().get("allow"));
      assertEquals("application/json", wrong.headers().get("content-type"));
    }
  }

  @Test
  void takesABodyOfExactlyTheLimit() throws IOException {
    var body = "x".repeat(BODY_LIMIT);
    try (var wire = wire()) {
      assertEquals(body, wire.post("/echo", body).body());
      assertEquals(body, wire.send(chunked(body)).answer().body());
    }
  }

  @Test
  void refusesALargerBodyAndCloses() throws IOException {
    var body = "x".repeat(BODY_LIMIT + 1);
    try (var wire = wire()) {
      assertRefused(wire.post("/echo", body));
      assertTrue(wire.isClosed());
    }
    try (var wire = wire()) {
      assertRefused(wire.send(chunked(body)).answer());
      assertTrue(wire.isClosed());
    }
    assertEquals(2, metrics.refusedBodies.count("too_large"));
  }

  @Test
  void refusesAnAnnouncedBodyBeforeItComes() throws IOException {
    try (var wire = wire()) {
      wire.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n");
      assertRefused(wire.answer());
    }
  }

  @Test
  void holdsNoMoreBodiesThanTheBudget() throws Exception {
    try (var first = wire();
        var second = wire();
        var third = wire()) {
      first.send(head("/wait", BODY_LIMIT) + "x".repeat(BODY_LIMIT));
      second.send(head("/wait", BODY_LIMIT) + "x".repeat(BODY_LIMIT));
      await(() -> handling.get() == 2);

      var refused = third.post("/echo", "x".repeat(BODY_LIMIT));
      assertEquals(503, refused.status());
      assertEquals("close", refused.headers().get("connection"));
      assertEquals(1, metrics.refusedBodies.count("no_memory"));
      assertEquals("hello", bodyOf("/hello"));

      letGo.countDown();
      assertEquals(200, first.answer().status());
      assertEquals(200, second.answer().status());
    }
    await(() -> postedAlone(BODY_LIMIT) == 200);
  }

  @Test
  void closesTheConnectionOfABodyThatStalls() throws IOException {
    try (var wire = wire()) {
      wire.send(head("/echo", 10) + "half");
      expireOne();

      assertTrue(wire.isClosed());
    }
    assertEquals(1, metrics.timeouts.count("read"));
    assertEquals("hello", bodyOf("/hello"));
  }

  @Test
  void closesTheConnectionOfAHeadThatStalls() throws IOException {
    try (var wire = wire()) {
      wire.send("GET /hello HT");
      expireOne();

      assertTrue(wire.isClosed());
    }
    assertEquals(1, metrics.timeouts.count("read"));
  }

  @Test
  void closesTheConnectionOfAClientThatDoesNotRead() throws IOException {
    try (var wire = wire()) {
      wire.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
      await(() -> metrics.responses.count("2xx") == 1 && time.waiting() == 1);
      time.advance(LIMIT);

      await(() -> time.waiting() == 0);
      assertEquals(1, metrics.timeouts.count("write"));
      assertThrows(IOException.class, wire::answer);
    }
  }

  @Test
  void setsAHandlerNoDeadline() throws Exception {
    try (var wire = wire()) {
      wire.send(head("/wait", 0));
      await(() -> handling.get() == 1);
      assertEquals(0, time.waiting());

      time.advance(Duration.ofDays(1));
      letGo.countDown();

      assertEquals(200, wire.answer().status());
    }
  }

  @Test
  void answersAHandlersExceptionAndLives() throws IOException {
    try (var wire = wire()) {
      for (var path : List.of("/fail", "/overflow")) {
        var answer = wire.get(path);
        assertEquals(500, answer.status());
        assertEquals(
            "{\"error\":\"the request failed inside the server, see its log\"}", answer.body());
      }
      assertEquals("hello", wire.get("/hello").body());
    }
    assertEquals(2, metrics.handlerFailures.count());
    assertEquals(2, metrics.responses.count("5xx"));
  }

  @Test
  void closesTheConnectionWhenAHandlerWantsIt() throws IOException {
    try (var wire = wire()) {
      var answer = wire.get("/bye");

      assertEquals(503, answer.status());
      assertEquals("close", answer.headers().get("connection"));
      assertTrue(wire.isClosed());
    }
  }

  @Test
  void survivesNonsense() throws IOException {
    for (var nonsense :
        List.of("\r\n\r\nx\r\n\r\n", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", "\u0016")) {
      try (var wire = wire()) {
        wire.send(nonsense);
      }
    }
    assertEquals("hello", bodyOf("/hello"));
  }

  @Test
  void letsRequestsInProgressEndBeforeItStops() throws Exception {
    try (var slow = wire();
        var idle = wire()) {
      assertEquals(200, idle.get("/hello").status());
      slow.send(head("/wait", 0));
      await(() -> handling.get() == 1);

      int port = server.port();
      var stopping = Thread.ofPlatform().start(this::stopNow);
      await(() -> isDraining(port));
      letGo.countDown();

      var last = slow.answer();
      assertEquals(200, last.status());
      assertEquals("close", last.headers().get("connection"));
      assertTrue(stopping.join(Duration.ofSeconds(20)));
      assertTrue(idle.isClosed());
      assertThrows(ConnectException.class, () -> new Wire(port).close());
    }
  }

  private void stopNow() {
    try {
      server.stop();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private boolean isDraining(int port) {
    try (var wire = new Wire(port)) {
      return wire.get("/hello").status() == 503;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until the one request in progress reads under its deadline, then lets that pass. */
  private void expireOne() {
    await(() -> time.waiting() == 1);
    time.advance(LIMIT);
  }

  private void assertRefused(Wire.Answer answer) {
    assertEquals(413, answer.status());
    assertEquals("{\"error\":\"the body is larger than 1000 bytes\"}", answer.body());
    assertEquals("close", answer.headers().get("connection"));
  }

  private Wire wire() throws IOException {
    return new Wire(server.port());
  }

  private String bodyOf(String path) {
    try (var wire = wire()) {
      return wire.get(path).body();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private int postedAlone(int length) {
    try (var wire = wire()) {
      return wire.post("/echo", "x".repeat(length)).status();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Response waitForTest(Request request) throws InterruptedException {
    handling.incrementAndGet();
    assertTrue(letGo.await(30, TimeUnit.SECONDS));
    return Response.json(200, request.body());
  }

  private static Response show(Request request) {
    var query = request.query().entrySet().stream().sorted(Map.Entry.comparingByKey());
    return Response.text(
        200,
        request.method()
            + " "
            + request.path()
            + " "
            + query.map(Object::toString).toList()
            + " "
            + request.header("x-ODD").orElse("none"));
  }

  private static Response fail(Request request) throws IOException {
    throw new IOException("broken: " + request.path());
  }

  private static Response overflow(Request request) {
    throw new StackOverflowError("as from a body nested deeply, at " + request.path());
  }

  private static String head(String path, int length) {
    return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n";
  }

  private static String chunked(String body) {
    return "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        + Integer.toHexString(body.length())
        + "\r\n"
        + body
        + "\r\n0\r\n\r\n";
  }

  private static void await(BooleanSupplier state) {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!state.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("expected a state that did not come within 20 s");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }
}
