package io.gpumem.platform.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WebServerTest {

  private final TestServer server;

  WebServerTest() throws IOException {
    server = new TestServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void keepsAConnectionForManyRequests() throws IOException {
    try (var wire = server.wire()) {
      for (int i = 0; i < 5; i++) {
        assertEquals("hello", wire.get("/hello").body());
        assertEquals("{\"n\":1}", wire.post("/echo", "{\"n\":1}").body());
        assertEquals(404, wire.get("/nothing").status());
        assertEquals(204, wire.get("/empty").status());
      }
    }
    assertEquals(15, server.metrics.responses.count("2xx"));
    assertEquals(5, server.metrics.responses.count("4xx"));
    TestServer.await(() -> server.time.waiting() == 0);
  }

  @Test
  void serves16RequestsAtOnce() throws Exception {
    var answers = new ArrayList<CompletableFuture<String>>();
    for (int i = 0; i < 16; i++) {
      answers.add(
          CompletableFuture.supplyAsync(
              () -> server.bodyOf("/together"), Thread::startVirtualThread));
    }

    for (var answer : answers) {
      assertFalse(answer.get(20, TimeUnit.SECONDS).isEmpty());
    }
  }

  @Test
  void handsPathQueryAndHeadersOver() throws IOException {
    try (var wire = server.wire()) {
      var answer =
          wire.send("GET /show?a=%C3%A9+b&a=2&c HTTP/1.1\r\nHost: x\r\nX-Odd: y\r\n\r\n").answer();

      assertEquals("GET /show [a=\u00c3\u00a9 b, c=] y", answer.body());
    }
  }

  @Test
  void answersHeadWithTheLengthAndNoBody() throws IOException {
    try (var wire = server.wire()) {
      var head = wire.send("HEAD /hello HTTP/1.1\r\nHost: x\r\n\r\n").answerWithoutBody();

      assertEquals(200, head.status());
      assertEquals("5", head.headers().get("content-length"));
      assertEquals("hello", wire.get("/hello").body());
    }
  }

  @Test
  void answersUnknownPathsAndMethods() throws IOException {
    try (var wire = server.wire()) {
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
  void answersAHandlersExceptionAndLives() throws IOException {
    try (var wire = server.wire()) {
      for (var path : List.of("/fail", "/overflow")) {
        var answer = wire.get(path);
        assertEquals(500, answer.status());
        assertEquals(
            "{\"error\":\"the request failed inside the server, see its log\"}", answer.body());
      }
      assertEquals("hello", wire.get("/hello").body());
    }
    assertEquals(2, server.metrics.handlerFailures.count());
    assertEquals(2, server.metrics.responses.count("5xx"));
  }

  @Test
  void closesTheConnectionWhenAHandlerWantsIt() throws IOException {
    try (var wire = server.wire()) {
      var answer = wire.get("/bye");

      assertEquals(503, answer.status());
      assertEquals("close", answer.headers().get("connection"));
      assertTrue(wire.isClosed());
    }
  }

  @Test
  void letsRequestsInProgressEndBeforeItStops() throws Exception {
    try (var slow = server.wire();
        var idle = server.wire()) {
      assertEquals(200, idle.get("/hello").status());
      slow.send(TestServer.head("/wait", 0));
      TestServer.await(() -> server.handling() == 1);

      int port = server.port();
      var stopping = Thread.ofPlatform().start(server::stop);
      TestServer.await(() -> isDraining());
      server.letGo();

      var last = slow.answer();
      assertEquals(200, last.status());
      assertEquals("close", last.headers().get("connection"));
      assertTrue(stopping.join(Duration.ofSeconds(20)));
      assertTrue(idle.isClosed());
      assertThrows(ConnectException.class, () -> new Wire(port).close());
    }
  }

  private boolean isDraining() {
    try (var wire = server.wire()) {
      return wire.get("/hello").status() == 503;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
