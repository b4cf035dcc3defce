package io.gpumem.platform.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Pod;
import io.gpumem.platform.cluster.ClusterSettings.Patience;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.ResourceKind;
import io.gpumem.platform.cluster.fake.StandInApiServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Feeds while the server misbehaves. The watch never ends, and no gap stays. */
final class FeedFaultsTest {

  /** No silence limit, lifetime or periodic list comes in the way unless a test wants it. */
  private static final Patience PATIENT =
      new Patience(
          Duration.ofSeconds(10),
          Duration.ofMinutes(5),
          Duration.ofMinutes(5),
          Duration.ofHours(1),
          Duration.ofMillis(10),
          Duration.ofMillis(100),
          500);

  private final StandInApiServer server = StandInApiServer.start();
  private final Heard<Seen> heard = new Heard<>();
  private Optional<KubeCluster> connected = Optional.empty();

  @AfterEach
  void close() {
    connected.ifPresent(KubeCluster::close);
    assertEquals(List.of(), server.misuses());
    server.close();
  }

  private Feed watch(Patience patience) {
    return watch(patience, Seen.noted());
  }

  private Feed watch(Patience patience, Function<Pod, Optional<Seen>> trim) {
    var settings =
        ClusterSettings.of(new ClusterSettings.Url(server.url()), "test").withPatience(patience);
    KubeCluster cluster = KubeCluster.connect(settings);
    connected = Optional.of(cluster);
    return cluster.watchPods(PodSelection.notEnded(), trim, heard);
  }

  private Seen createPod(String name) {
    server
        .objects()
        .create(
            ResourceKind.PODS,
            """
            {"metadata":{"name":"%s"},"spec":{"containers":[{"name":"main"}]}}
            """
                .formatted(name));
    return new Seen(name, "");
  }

  private void removePod(String name) {
    server.objects().remove(ObjectKey.pod("default", name));
  }

  private void awaitWatch() throws Exception {
    awaitWatch(1);
  }

  private void awaitWatch(long count) throws Exception {
    Heard.until("watch " + count, () -> server.watchesBegun() >= count);
  }

  private long watchesAsked() {
    return server.requests().stream().filter(r -> r.path().contains("watch=true")).count();
  }

  @Test
  void deliversRemovalsThatHappenedInAForgottenGap() throws Exception {
    removalsAfterGap(false);
  }

  @Test
  void deliversRemovalsWhenTheGapIsToldByTheHttpStatus() throws Exception {
    removalsAfterGap(true);
  }

  private void removalsAfterGap(boolean goneAsStatus) throws Exception {
    server.goneAsStatus(goneAsStatus);
    Seen stays = createPod("stays");
    Seen goes = createPod("goes");
    Feed feed = watch(PATIENT);
    assertEquals(List.of(goes, stays), heard.awaitList(1).all());
    awaitWatch();

    server.unplugged(true);
    removePod("goes");
    Seen comes = createPod("comes");
    server.forgetHistory();
    server.unplugged(false);

    FeedEvent.Listed<Seen> second = heard.awaitList(2);
    assertEquals(List.of(comes, stays), second.all());
    assertEquals(List.of(goes), second.gone());
    assertEquals(1, feed.counts().expiries());
    Seen later = createPod("later");
    heard.await(new FeedEvent.Appeared<>(later));
  }

  @Test
  void tellsARecreatedPodFromTheFormerOneOfItsName() throws Exception {
    Seen former = createPod("same");
    watch(PATIENT);
    assertEquals(List.of(former), heard.awaitList(1).all());
    awaitWatch();
    server.unplugged(true);
    removePod("same");
    createPod("same");
    server.forgetHistory();
    server.unplugged(false);
    assertEquals(List.of(former), heard.awaitList(2).gone());
  }

  @Test
  void listsAgainAfterA410InTheMiddleOfAWatch() throws Exception {
    Seen pod = createPod("pod");
    watch(PATIENT);
    assertEquals(List.of(pod), heard.awaitList(1).all());
    awaitWatch();
    server.expireWatches();
    assertEquals(List.of(pod), heard.awaitList(2).all());
  }

  @Test
  void resumesWithoutAListWhenConnectionsBreak() throws Exception {
    watch(PATIENT);
    heard.awaitList(1);
    for (int i = 0; i < 5; i++) {
      awaitWatch(i + 1);
      Seen before = createPod("before-" + i);
      server.cutConnections();
      Seen after = createPod("after-" + i);
      heard.await(new FeedEvent.Appeared<>(before));
      heard.await(new FeedEvent.Appeared<>(after));
    }
    assertEquals(11, heard.all().size(), "one list and ten pods, none twice");
  }

  @Test
  void flowsAgainAfterTheServerWasAwayForManyTries() throws Exception {
    Feed feed = watch(PATIENT);
    heard.awaitList(1);
    Heard.until("sight", () -> feed.blindFor().isZero());
    server.unplugged(true);
    Heard.until("thirty failures", () -> feed.counts().failures() >= 30);
    assertTrue(feed.blindFor().isPositive());
    Seen meanwhile = createPod("meanwhile");
    server.unplugged(false);
    heard.await(new FeedEvent.Appeared<>(meanwhile));
    Heard.until("sight", () -> feed.blindFor().isZero());
  }

  @Test
  void waitsOutAServerThatRefuses() throws Exception {
    server.refusing(true);
    Feed feed = watch(PATIENT);
    Heard.until("failures", () -> feed.counts().failures() >= 5);
    assertFalse(feed.synced());
    server.refusing(false);
    Seen pod = createPod("pod");
    heard.await("the pod", e -> e.toString().contains(pod.name()));
    assertTrue(feed.awaitSynced(Duration.ofSeconds(10)));
  }

  @Test
  void takesASilentWatchForDead() throws Exception {
    Patience watchful =
        new Patience(
            Duration.ofMillis(500),
            Duration.ofMillis(1500),
            Duration.ofMinutes(5),
            Duration.ofHours(1),
            Duration.ofMillis(10),
            Duration.ofMillis(100),
            500);
    Feed feed = watch(watchful);
    heard.awaitList(1);
    Heard.until("sight", () -> feed.blindFor().isZero());
    server.silent(true);
    Seen missed = createPod("missed");
    Heard.until("blindness", () -> feed.blindFor().isPositive());
    server.cutConnections();
    server.silent(false);
    heard.await("the pod", e -> e.toString().contains(missed.name()));
    Heard.until("sight", () -> feed.blindFor().isZero());
  }

  @Test
  void readsOverBlankLines() throws Exception {
    watch(PATIENT);
    heard.awaitList(1);
    awaitWatch();
    server.writeIntoWatches("\n\r\n   \n");
    Seen pod = createPod("pod");
    heard.await(new FeedEvent.Appeared<>(pod));
    assertEquals(1, watchesAsked());
  }

  @Test
  void listsAgainAfterGarbage() throws Exception {
    Seen pod = createPod("pod");
    watch(PATIENT);
    heard.awaitList(1);
    for (String garbage :
        List.of(
            "<html>502</html>\n",
            "{\"type\":\"LOST\",\"object\":{}}\n",
            "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"x\"}}}\n",
            "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":7}}\n",
            "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":500}}\n",
            "[1,2]\n",
            "7777\n")) {
      long lists = lists();
      Heard.until("the watch after it", () -> server.watchesBegun() == lists);
      server.writeIntoWatches(garbage);
      Heard.until("a list after " + garbage, () -> lists() == lists + 1);
    }
    assertEquals(List.of(pod), heard.awaitList(8).all());
  }

  private long lists() {
    return heard.all().stream().filter(e -> e instanceof FeedEvent.Listed<Seen>).count();
  }

  @Test
  void beginsTheListAnewWhenItsPagesExpire() throws Exception {
    IntStream.range(0, 25).forEach(i -> createPod("pod-%02d".formatted(i)));
    CountDownLatch atTen = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Function<Pod, Optional<Seen>> halting =
        pod -> {
          if (pod.getMetadata().getName().equals("pod-10")) {
            atTen.countDown();
            awaitUnchecked(goOn);
          }
          return Seen.noted().apply(pod);
        };
    Patience tenAPage =
        new Patience(
            PATIENT.request(),
            PATIENT.silence(),
            PATIENT.watch(),
            PATIENT.relist(),
            PATIENT.backOffMin(),
            PATIENT.backOffMax(),
            10);
    Feed feed = watch(tenAPage, halting);
    assertTrue(atTen.await(10, TimeUnit.SECONDS));
    removePod("pod-00");
    server.forgetHistory();
    goOn.countDown();
    assertEquals(24, heard.awaitList(1).all().size());
    assertEquals(1, feed.counts().expiries());
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, TimeUnit.SECONDS));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void keepsWhatItKnewWhenTrimThrows() throws Exception {
    Seen pod = createPod("pod");
    Feed feed =
        watch(
            PATIENT,
            p -> {
              if (p.getMetadata().getAnnotations() != null
                  && p.getMetadata().getAnnotations().containsKey("example.com/trap")) {
                throw new IllegalStateException("a trim's own fault, on purpose");
              }
              return Seen.noted().apply(p);
            });
    assertEquals(List.of(pod), heard.awaitList(1).all());
    server
        .objects()
        .patch(
            ObjectKey.pod("default", "pod"),
            "{\"metadata\":{\"annotations\":{\"example.com/trap\":\"1\"}}}");
    Heard.until("the fault", () -> feed.counts().trimFaults() == 1);
    feed.relist();
    assertEquals(List.of(pod), heard.awaitList(2).all());
    removePod("pod");
    heard.await(new FeedEvent.Gone<>(pod));
  }

  @Test
  void keepsTheOrderBehindADelayedEvent() throws Exception {
    watch(PATIENT);
    heard.awaitList(1);
    awaitWatch();
    var _ =
        server.delayWatch(
            w -> w.kind() == ResourceKind.PODS,
            o -> o.path("metadata").path("name").asString("").equals("slow"),
            Duration.ofMillis(300));
    Seen slow = createPod("slow");
    Seen quick = createPod("quick");
    heard.await(new FeedEvent.Appeared<>(quick));
    assertEquals(
        List.of(new FeedEvent.Appeared<>(slow), new FeedEvent.Appeared<>(quick)),
        heard.all().subList(1, 3));
  }

  @Test
  void listsPeriodically() throws Exception {
    Patience often =
        new Patience(
            PATIENT.request(),
            PATIENT.silence(),
            PATIENT.watch(),
            Duration.ofMillis(300),
            PATIENT.backOffMin(),
            PATIENT.backOffMax(),
            500);
    Feed feed = watch(often);
    heard.awaitList(3);
    Seen pod = createPod("pod");
    heard.await("the pod", e -> e.toString().contains(pod.name()));
    assertEquals(0, feed.counts().failures());
  }

  @Test
  void listsAgainAtOnceWhenAsked() throws Exception {
    Feed feed = watch(PATIENT);
    heard.awaitList(1);
    awaitWatch();
    feed.relist();
    heard.awaitList(2);
    assertEquals(0, feed.counts().failures());
  }

  @Test
  void listsThreeThousandPodsInPagesOfFiveHundred() throws Exception {
    IntStream.range(0, 3000).forEach(i -> createPod("pod-%04d".formatted(i)));
    watch(PATIENT);
    List<Seen> all = heard.awaitList(1).all();
    assertEquals(3000, all.size());
    assertEquals("pod-2999", all.getLast().name());
    assertEquals(6, server.requests().stream().filter(r -> r.path().contains("limit=500")).count());
  }

  @Test
  void saysNothingMoreOnceClosed() throws Exception {
    Feed feed = watch(PATIENT);
    heard.awaitList(1);
    awaitWatch();
    feed.close();
    AtomicInteger late = new AtomicInteger();
    Heard.until(
        "no open watch",
        () -> {
          createPod("late-" + late.incrementAndGet());
          return server.openWatches() == 0;
        });
    assertEquals(1, heard.all().size());
  }
}
