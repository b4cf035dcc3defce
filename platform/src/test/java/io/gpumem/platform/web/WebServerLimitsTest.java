package io.gpumem.platform.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WebServerLimitsTest {

  private final TestServer server;

  WebServerLimitsTest() throws IOException {
    server = new TestServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void takesABodyOfExactlyTheLimit() throws IOException {
    var body = "x".repeat(TestServer.BODY_LIMIT);
    try (var wire = server.wire()) {
      assertEquals(body, wire.post("/echo", body).body());
      assertEquals(body, wire.send(chunked(body)).answer().body());
    }
  }

  @Test
  void refusesALargerBodyAndCloses() throws IOException {
    var body = "x".repeat(TestServer.BODY_LIMIT + 1);
    try (var wire = server.wire()) {
      assertRefused(wire.post("/echo", body));
      assertTrue(wire.isClosed());
    }
    try (var wire = server.wire()) {
      assertRefused(wire.send(chunked(body)).answer());
      assertTrue(wire.isClosed());
    }
    assertEquals(2, server.metrics.refusedBodies.count("too_large"));
  }

  @Test
  void letsAClientThatSendsFarTooMuchReadWhy() throws IOException {
    // More than the JDK's server drains by itself: without our reading on, the answer is lost to a
    // connection reset.
    try (var wire = server.wire()) {
      assertRefused(wire.post("/echo", "x".repeat(4 * TestServer.BODY_LIMIT)));
      assertTrue(wire.isClosed());
    }
  }

  @Test
  void refusesAnAnnouncedBodyBeforeItComes() throws IOException {
    try (var wire = server.wire()) {
      wire.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n");
      assertRefused(wire.answer());
    }
  }

  @Test
  void holdsNoMoreBodiesThanTheBudget() throws Exception {
    try (var first = server.wire();
        var second = server.wire();
        var third = server.wire()) {
      first.send(
          TestServer.head("/wait", TestServer.BODY_LIMIT) + "x".repeat(TestServer.BODY_LIMIT));
      second.send(
          TestServer.head("/wait", TestServer.BODY_LIMIT) + "x".repeat(TestServer.BODY_LIMIT));
      TestServer.await(() -> server.handling() == 2);

      var refused = third.post("/echo", "x".repeat(TestServer.BODY_LIMIT));
      assertEquals(503, refused.status());
      assertEquals("close", refused.headers().get("connection"));
      assertEquals(1, server.metrics.refusedBodies.count("no_memory"));
      assertEquals("hello", server.bodyOf("/hello"));

      server.letGo();
      assertEquals(200, first.answer().status());
      assertEquals(200, second.answer().status());
    }
    TestServer.await(() -> postedAlone(TestServer.BODY_LIMIT) == 200);
  }

  @Test
  void closesTheConnectionOfABodyThatStalls() throws IOException {
    try (var wire = server.wire()) {
      wire.send(TestServer.head("/echo", 10) + "half");
      server.expireOne();

      assertTrue(wire.isClosed());
    }
    assertEquals(1, server.metrics.timeouts.count("read"));
    assertEquals("hello", server.bodyOf("/hello"));
  }

  @Test
  void closesTheConnectionOfAHeadThatStalls() throws IOException {
    try (var wire = server.wire()) {
      wire.send("GET /hello HT");
      server.expireOne();

      assertTrue(wire.isClosed());
    }
    assertEquals(1, server.metrics.timeouts.count("read"));
  }

  @Test
  void closesTheConnectionOfAClientThatDoesNotRead() throws IOException {
    try (var wire = server.wire()) {
      wire.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
      TestServer.await(
          () -> server.metrics.responses.count("2xx") == 1 && server.time.waiting() == 1);
      server.time.advance(TestServer.LIMIT);

      TestServer.await(() -> server.time.waiting() == 0);
      assertEquals(1, server.metrics.timeouts.count("write"));
      assertThrows(IOException.class, wire::answer);
    }
  }

  @Test
  void handsNoBodyThatBreaksOffToAHandler() throws IOException {
    var half = "POST /wait HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n";
    for (var request : List.of(TestServer.head("/wait", 10) + "half", half)) {
      try (var wire = server.wire()) {
        assertTrue(wire.send(request).endSending().isClosed());
      }
    }
    assertEquals(0, server.handling());
  }

  @Test
  void forgetsConnectionsThatBreakOff() throws IOException {
    // More than the JDK's server may hold at one time.
    for (int i = 0; i < 1_100; i++) {
      try (var wire = server.wire()) {
        wire.send(TestServer.head("/echo", 10) + "half");
      }
    }
    assertEquals("hello", server.bodyOf("/hello"));
  }

  @Test
  void setsAHandlerNoDeadline() throws Exception {
    try (var wire = server.wire()) {
      wire.send(TestServer.head("/wait", 0));
      TestServer.await(() -> server.handling() == 1);
      assertEquals(0, server.time.waiting());

      server.time.advance(Duration.ofDays(1));
      server.letGo();

      assertEquals(200, wire.answer().status());
    }
  }

  @Test
  void survivesNonsense() throws IOException {
    for (var nonsense :
        List.of("\r\n\r\nx\r\n\r\n", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", "\u0016")) {
      try (var wire = server.wire()) {
        wire.send(nonsense);
      }
    }
    assertEquals("hello", server.bodyOf("/hello"));
  }

  private int postedAlone(int length) {
    try (var wire = server.wire()) {
      return wire.post("/echo", "x".repeat(length)).status();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertRefused(Wire.Answer answer) {
    assertEquals(413, answer.status());
    assertEquals("{\"error\":\"the body is larger than 100000 bytes\"}", answer.body());
    assertEquals("close", answer.headers().get("connection"));
  }

  private static String chunked(String body) {
    return "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        + Integer.toHexString(body.length())
        + "\r\n"
        + body
        + "\r\n0\r\n\r\n";
  }
}
