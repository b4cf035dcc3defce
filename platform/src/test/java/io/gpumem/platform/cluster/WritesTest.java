package io.gpumem.platform.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.RETURNS_SELF;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.ResourceKind;
import io.gpumem.platform.cluster.fake.StandInApiServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpConnectTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Writes that go wrong: what is certain is said, and what isn't is not. */
final class WritesTest {

  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Map<String, Optional<String>> NO_KEYS = Map.of();

  private final StandInApiServer server = StandInApiServer.start();
  private final KubeCluster cluster = connect(server.url());

  private static KubeCluster connect(String url) {
    return KubeCluster.connect(
        ClusterSettings.of(new ClusterSettings.Url(url), "test")
            .withPatience(ClusterContract.QUICK));
  }

  @AfterEach
  void close() {
    cluster.close();
    assertEquals(List.of(), server.misuses());
    server.close();
  }

  private PodRef createPod() {
    String uid =
        server
            .objects()
            .create(
                ResourceKind.PODS,
                """
                {"metadata":{"name":"pod"},"spec":{"containers":[{"name":"main"}]}}
                """)
            .path("metadata")
            .path("uid")
            .asString();
    return new PodRef("default", "pod", uid);
  }

  private long bindings() {
    return server.requests().stream().filter(r -> r.path().endsWith("/binding")).count();
  }

  @Test
  void doesNotKnowWhetherABindingWithALostAnswerHappenedAndAReadTells() {
    PodRef pod = createPod();
    server.loseNextBindingAnswer();
    BindOutcome outcome = cluster.bind(pod, "n1", Map.of(Seen.KEY, "x"), DEADLINE);
    assertInstanceOf(BindOutcome.Unknown.class, outcome);
    assertEquals(
        new Reading.Found<>(new Seen("pod", "n1")),
        cluster.readPod("default", "pod", Seen.placed(), DEADLINE));
    assertEquals(1, bindings(), "a lost answer must not be tried again on its own");
    var again =
        assertInstanceOf(
            BindOutcome.AlreadyBound.class, cluster.bind(pod, "n1", Map.of(), DEADLINE));
    assertEquals(Map.of(Seen.KEY, "x"), again.annotations());
  }

  @Test
  void keepsItsDeadlineWhenTheAnswerIsLate() throws Exception {
    PodRef pod = createPod();
    server.answerNextBindingLate(Duration.ofSeconds(30));
    BindOutcome outcome = cluster.bind(pod, "n1", Map.of(), Duration.ofMillis(200));
    assertInstanceOf(BindOutcome.Unknown.class, outcome);
    Heard.until(
        "the pod bound all the same",
        () ->
            cluster
                .readPod("default", "pod", Seen.placed(), DEADLINE)
                .equals(new Reading.Found<>(new Seen("pod", "n1"))));
  }

  @Test
  void doesNotTrustAnErrorOfTheServer() {
    PodRef pod = createPod();
    server.refusing(true);
    assertInstanceOf(BindOutcome.Unknown.class, cluster.bind(pod, "n1", Map.of(), DEADLINE));
    assertInstanceOf(
        PatchOutcome.Unknown.class,
        cluster.patchNode("n1", Map.of("example.com/a", Optional.of("1")), NO_KEYS));
    assertInstanceOf(
        Reading.Unread.class, cluster.readPod("default", "pod", Seen.placed(), DEADLINE));
    assertEquals(1, bindings());
  }

  @Test
  void passesARefusalOn() {
    PodRef pod = createPod();
    server.refuseNext(r -> r.method().equals("POST"), 429, "TooManyRequests", "slow down");
    assertEquals(
        new BindOutcome.Refused(429, "slow down"), cluster.bind(pod, "n1", Map.of(), DEADLINE));
    server.refuseNext(r -> r.method().equals("PATCH"), 403, "Forbidden", "not you");
    assertEquals(
        new PatchOutcome.Refused(403, "not you"),
        cluster.patchNode("n1", Map.of("example.com/a", Optional.of("1")), NO_KEYS));
  }

  @Test
  void takesA404OfSomethingElseForNoDisappearance() {
    PodRef pod = createPod();
    server.refuseNext(r -> r.method().equals("POST"), 404, "", "no such route");
    assertInstanceOf(BindOutcome.Refused.class, cluster.bind(pod, "n1", Map.of(), DEADLINE));
    server.refuseNext(r -> r.method().equals("GET"), 404, "", "no such route");
    assertInstanceOf(
        Reading.Unread.class, cluster.readPod("default", "pod", Seen.placed(), DEADLINE));
  }

  @Test
  void givesAReadUpAtTheCallersDeadline() throws Exception {
    try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var other = connect("http://127.0.0.1:" + silent.getLocalPort())) {
      assertEquals(
          new Reading.Unread<>("no answer within PT0.2S"),
          other.readPod("default", "pod", Seen.placed(), Duration.ofMillis(200)));
    }
  }

  @Test
  void doesNotKnowAConflictThatCannotBeReadBack() {
    PodRef pod = createPod();
    assertEquals(new BindOutcome.Bound(), cluster.bind(pod, "n1", Map.of(), DEADLINE));
    server.refuseNext(r -> r.method().equals("GET"), 500, "InternalError", "etcd is away");
    assertInstanceOf(BindOutcome.Unknown.class, cluster.bind(pod, "n1", Map.of(), DEADLINE));
  }

  @Test
  void tellsAPodThatVanishedDuringTheConflict() {
    PodRef pod = createPod();
    server.refuseNext(r -> r.method().equals("POST"), 409, "Conflict", "something else");
    server.objects().remove(ObjectKey.pod("default", "pod"));
    assertInstanceOf(BindOutcome.Gone.class, cluster.bind(pod, "n1", Map.of(), DEADLINE));
  }

  @Test
  void saysThatNothingWasWrittenWhenNobodyListens() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (KubeCluster nobody = connect("http://127.0.0.1:" + port)) {
      assertInstanceOf(
          BindOutcome.Unreached.class,
          nobody.bind(new PodRef("default", "pod", "u"), "n1", Map.of(), DEADLINE));
      assertInstanceOf(
          PatchOutcome.Unreached.class,
          nobody.patchNode("n1", Map.of("example.com/a", Optional.of("1")), NO_KEYS));
      assertInstanceOf(Reading.Unread.class, nobody.readNode("n1", Seen.node()));
    }
  }

  @Test
  void answersAfterItWasClosedToo() {
    PodRef pod = createPod();
    cluster.close();
    assertInstanceOf(BindOutcome.Unknown.class, cluster.bind(pod, "n1", Map.of(), DEADLINE));
  }

  @Test
  void tellsAFailedConnectionFromABrokenOne() {
    assertInstanceOf(
        BindOutcome.Unreached.class, failingWith(new HttpConnectTimeoutException("no connection")));
    assertInstanceOf(
        BindOutcome.Unknown.class,
        failingWith(new IOException("HTTP/1.1 header parser received no bytes")));
    assertInstanceOf(
        BindOutcome.Unknown.class,
        failingWith(new ExecutionException(new IllegalStateException("interceptor"))));
  }

  /** The library's client failing as the stand-in can't make it fail. */
  private static BindOutcome failingWith(Exception failure) {
    HttpClient http = mock(HttpClient.class);
    when(http.newHttpRequestBuilder()).thenReturn(mock(HttpRequest.Builder.class, RETURNS_SELF));
    when(http.sendAsync(any(), eq(InputStream.class)))
        .thenReturn(CompletableFuture.failedFuture(failure));
    try (var deadlines = Executors.newSingleThreadScheduledExecutor()) {
      Ticks ticks = Ticks.system();
      var serialization = new KubernetesSerialization();
      ApiCalls calls = new ApiCalls(http, "http://nowhere/", deadlines, ticks.nanos());
      Writes writes = new Writes(calls, new Reads(calls, serialization), serialization, ticks);
      return writes.bind(new PodRef("default", "pod", "u"), "n1", Map.of(), DEADLINE);
    }
  }

  @Test
  void dropsEventsBeyondTheRateWithoutBlocking() throws Exception {
    for (int i = 0; i < 500; i++) {
      cluster.event(
          new EventNote(
              new EventNote.OnNode("n1"), EventNote.Severity.NORMAL, "Many", "Number " + i));
    }
    assertTrue(cluster.eventCounts().dropped() > 300, cluster.eventCounts().toString());
    Heard.until(
        "all the rest sent",
        () -> cluster.eventCounts().sent() + cluster.eventCounts().dropped() == 500);
  }

  @Test
  void countsEventsThatWereNotTaken() throws Exception {
    server.refusing(true);
    cluster.event(
        new EventNote(new EventNote.OnNode("n1"), EventNote.Severity.NORMAL, "Lost", "x"));
    Heard.until("a failure", () -> cluster.eventCounts().failed() == 1);
  }
}
