package io.gpumem.platform.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a {@link Cluster} must do over any API server. */
abstract class ClusterContract {

  static final ClusterSettings.Patience QUICK =
      new ClusterSettings.Patience(
          Duration.ofSeconds(5),
          Duration.ofSeconds(3),
          Duration.ofSeconds(60),
          Duration.ofHours(1),
          Duration.ofMillis(10),
          Duration.ofMillis(200),
          10);

  private static final Duration DEADLINE = Duration.ofSeconds(5);

  World world;
  Cluster cluster;

  abstract World world() throws Exception;

  @BeforeEach
  void connect() throws Exception {
    world = world();
    cluster =
        KubeCluster.connect(ClusterSettings.of(world.access(), "gpu-mem-test").withPatience(QUICK));
  }

  @AfterEach
  void disconnect() throws Exception {
    cluster.close();
    world.close();
    leave();
  }

  /** Looks at the server at the end, and closes it where it is the test's own. */
  abstract void leave();

  private Function<Pod, Optional<Seen>> mine(Function<Pod, Optional<Seen>> trim) {
    return pod -> trim.apply(pod).filter(seen -> seen.name().endsWith(world.unique("")));
  }

  private Seen seen(PodRef pod, String note) {
    return new Seen(pod.name(), note);
  }

  @Test
  void listsWhatIsThereAndThenWatches() throws Exception {
    PodRef first = world.createPod("first");
    var heard = new Heard<Seen>();
    Feed feed = cluster.watchPods(PodSelection.notEnded(), mine(Seen.noted()), heard);
    assertEquals(List.of(seen(first, "")), heard.awaitList(1).all());
    assertTrue(feed.awaitSynced(DEADLINE));
    assertTrue(feed.synced());

    PodRef second = world.createPod("second");
    heard.await(new FeedEvent.Appeared<>(seen(second, "")));
    world.annotatePod(second, Seen.KEY, "new");
    heard.await(new FeedEvent.Changed<>(seen(second, ""), seen(second, "new")));
    world.deletePod(first);
    List<FeedEvent<Seen>> events = heard.await(new FeedEvent.Gone<>(seen(first, "")));
    assertEquals(4, events.size(), events.toString());
  }

  @Test
  void tellsPodsOfANodeInTheOrderOfTheirBindings() throws Exception {
    String node = world.unique("node");
    List<PodRef> pods = List.of("c", "a", "b").stream().map(world::createPod).toList();
    PodRef before = world.createPod("z");
    bind(before, node);

    var heard = new Heard<Seen>();
    cluster.watchPods(PodSelection.onNode(node), Seen.placed(), heard);
    assertEquals(List.of(seen(before, node)), heard.awaitList(1).all());
    List<PodRef> order = List.of(pods.get(2), pods.get(0), pods.get(1));
    order.forEach(pod -> bind(pod, node));

    List<FeedEvent<Seen>> events = heard.await("three more", e -> e.size() == 4);
    assertEquals(
        order.stream().map(p -> new FeedEvent.Appeared<>(seen(p, node))).toList(),
        events.subList(1, 4));
  }

  private void bind(PodRef pod, String node) {
    assertEquals(new BindOutcome.Bound(), cluster.bind(pod, node, Map.of(), DEADLINE));
  }

  @Test
  void countsAPodThatEndedAsGone() throws Exception {
    PodRef pod = world.createPod("ends");
    var heard = new Heard<Seen>();
    cluster.watchPods(PodSelection.notEnded(), mine(Seen.noted()), heard);
    assertEquals(1, heard.awaitList(1).all().size());
    world.endPod(pod);
    heard.await(new FeedEvent.Gone<>(seen(pod, "")));
  }

  @Test
  void countsAnObjectThatIsOursNoLongerAsGone() throws Exception {
    PodRef pod = world.createPod("leaves");
    var heard = new Heard<Seen>();
    cluster.watchPods(PodSelection.notEnded(), mine(Seen.noted()), heard);
    assertEquals(1, heard.awaitList(1).all().size());
    world.annotatePod(pod, Seen.KEY, "not ours");
    heard.await(new FeedEvent.Gone<>(seen(pod, "")));
    world.annotatePod(pod, Seen.KEY, "back");
    heard.await(new FeedEvent.Appeared<>(seen(pod, "back")));
  }

  @Test
  void goesOnAfterAListenerThrew() throws Exception {
    PodRef pod = world.createPod("noisy");
    var heard = new Heard<Seen>();
    FeedListener<Seen> throwing =
        event -> {
          heard.on(event);
          throw new IllegalStateException("a listener's own fault, on purpose");
        };
    Feed feed = cluster.watchPods(PodSelection.notEnded(), mine(Seen.noted()), throwing);
    assertEquals(1, heard.awaitList(1).all().size());
    world.annotatePod(pod, Seen.KEY, "one");
    world.annotatePod(pod, Seen.KEY, "two");
    heard.await(new FeedEvent.Changed<>(seen(pod, "one"), seen(pod, "two")));
    Heard.until("three faults", () -> feed.counts().listenerFaults() == 3);
  }

  @Test
  void listsAllPages() throws Exception {
    List<String> names =
        IntStream.range(0, 25)
            .mapToObj(i -> world.createPod("many-%02d".formatted(i)).name())
            .toList();
    var heard = new Heard<Seen>();
    cluster.watchPods(PodSelection.notEnded(), mine(Seen.noted()), heard);
    assertEquals(names, heard.awaitList(1).all().stream().map(Seen::name).toList());
  }

  @Test
  void listsAgainWhenAsked() throws Exception {
    PodRef pod = world.createPod("again");
    var heard = new Heard<Seen>();
    Feed feed = cluster.watchPods(PodSelection.notEnded(), mine(Seen.noted()), heard);
    assertEquals(1, heard.awaitList(1).all().size());
    feed.relist();
    FeedEvent.Listed<Seen> second = heard.awaitList(2);
    assertEquals(List.of(seen(pod, "")), second.all());
    assertEquals(List.of(), second.gone());
    world.deletePod(pod);
    heard.await(new FeedEvent.Gone<>(seen(pod, "")));
  }

  @Test
  void followsNodesByLabel() throws Exception {
    String label = "example.com/" + world.unique("gpus");
    String with = world.unique("with");
    String without = world.unique("without");
    world.createNode(with, Map.of(label, "yes"));
    world.createNode(without, Map.of());
    var heard = new Heard<Seen>();
    cluster.watchNodes(NodeSelection.labelled(label), Seen.node(), heard);
    assertEquals(List.of(new Seen(with, "")), heard.awaitList(1).all());
    world.labelNode(without, label, Optional.of("too"));
    heard.await(new FeedEvent.Appeared<>(new Seen(without, "")));
    world.labelNode(with, label, Optional.empty());
    heard.await(new FeedEvent.Gone<>(new Seen(with, "")));
  }

  @Test
  void followsOneNodeByName() throws Exception {
    String mine = world.unique("mine");
    world.createNode(mine, Map.of());
    world.createNode(world.unique("other"), Map.of());
    var heard = new Heard<Seen>();
    cluster.watchNodes(NodeSelection.named(mine), Seen.node(), heard);
    assertEquals(List.of(new Seen(mine, "")), heard.awaitList(1).all());
    patch(mine, Map.of(Seen.KEY, Optional.of("x")));
    heard.await(new FeedEvent.Changed<>(new Seen(mine, ""), new Seen(mine, "x")));
  }

  private void patch(String node, Map<String, Optional<String>> annotations) {
    assertEquals(new PatchOutcome.Patched(), cluster.patchNode(node, annotations, Map.of()));
  }

  @Test
  void bindsWithAnnotationsInTheSameWrite() throws Exception {
    PodRef pod = world.createPod("bound", Map.of("example.com/own", "kept", Seen.KEY, "old"));
    String node = world.unique("node");
    var heard = new Heard<Map<String, String>>();
    cluster.watchPods(
        PodSelection.onNode(node),
        p -> Optional.of(Map.copyOf(p.getMetadata().getAnnotations())),
        heard);
    assertEquals(List.of(), heard.awaitList(1).all());
    assertEquals(
        new BindOutcome.Bound(), cluster.bind(pod, node, Map.of(Seen.KEY, "new"), DEADLINE));
    heard.await(new FeedEvent.Appeared<>(Map.of("example.com/own", "kept", Seen.KEY, "new")));
    assertEquals(
        new Reading.Found<>(List.of("True")),
        cluster.readPod(
            pod.namespace(),
            pod.name(),
            p ->
                Optional.of(
                    p.getStatus().getConditions().stream()
                        .filter(c -> c.getType().equals("PodScheduled"))
                        .map(c -> c.getStatus())
                        .toList()),
            DEADLINE));
  }

  @Test
  void tellsWhereAPodIsThatIsBoundAlready() {
    PodRef pod = world.createPod("twice");
    String node = world.unique("node");
    assertEquals(
        new BindOutcome.Bound(), cluster.bind(pod, node, Map.of(Seen.KEY, "first"), DEADLINE));
    var again =
        assertInstanceOf(
            BindOutcome.AlreadyBound.class,
            cluster.bind(pod, world.unique("else"), Map.of(Seen.KEY, "second"), DEADLINE));
    assertEquals(node, again.node());
    assertEquals("first", again.annotations().get(Seen.KEY));
  }

  @Test
  void callsAPodOfAnotherUidGone() {
    PodRef pod = world.createPod("recreated");
    PodRef former = new PodRef(pod.namespace(), pod.name(), "00000000-0000-4000-8000-000000000000");
    assertInstanceOf(BindOutcome.Gone.class, cluster.bind(former, "node", Map.of(), DEADLINE));
    PodRef never = new PodRef(pod.namespace(), world.unique("never"), pod.uid());
    assertInstanceOf(BindOutcome.Gone.class, cluster.bind(never, "node", Map.of(), DEADLINE));
  }

  @Test
  void isRefusedToBindAPodBeingDeletedOrGated() {
    PodRef held = world.createHeldPod("held");
    world.deletePod(held);
    var deleting =
        assertInstanceOf(BindOutcome.Refused.class, cluster.bind(held, "node", Map.of(), DEADLINE));
    assertEquals(409, deleting.code());
    PodRef gated = world.createGatedPod("gated");
    var closed =
        assertInstanceOf(
            BindOutcome.Refused.class, cluster.bind(gated, "node", Map.of(), DEADLINE));
    assertEquals(409, closed.code());
  }

  @Test
  void patchesOnlyTheKeysItNames() {
    String node = world.unique("patched");
    world.createNode(node, Map.of("example.com/stays", "1", "example.com/goes", "1"));
    patch(node, Map.of("example.com/a", Optional.of("1"), "example.com/b", Optional.of("2")));
    assertEquals(
        new PatchOutcome.Patched(),
        cluster.patchNode(
            node,
            Map.of("example.com/a", Optional.empty(), "example.com/c", Optional.of("{\"v\":1}")),
            Map.of("example.com/goes", Optional.empty(), "example.com/new", Optional.of("x"))));
    assertEquals(
        new Reading.Found<>(
            Map.of(
                "example.com/b", "2",
                "example.com/c", "{\"v\":1}",
                "example.com/stays", "1",
                "example.com/new", "x")),
        cluster.readNode(node, ClusterContract::ownKeys));
  }

  private static Optional<Map<String, String>> ownKeys(Node node) {
    var keys = new java.util.HashMap<String, String>(node.getMetadata().getAnnotations());
    keys.putAll(node.getMetadata().getLabels());
    keys.keySet().removeIf(key -> !key.startsWith("example.com/"));
    return Optional.of(Map.copyOf(keys));
  }

  @Test
  void tellsWhyAPatchWasNotDone() {
    String node = world.unique("strict");
    world.createNode(node, Map.of());
    var refused =
        assertInstanceOf(
            PatchOutcome.Refused.class,
            cluster.patchNode(
                node, Map.of(), Map.of("example.com/x", Optional.of("no spaces allowed"))));
    assertEquals(422, refused.code());
    assertInstanceOf(
        PatchOutcome.Gone.class,
        cluster.patchNode(
            world.unique("absent"), Map.of("example.com/x", Optional.of("1")), Map.of()));
  }

  @Test
  void readsWhatIsThereAndSaysWhatIsNot() {
    PodRef pod = world.createPod("read", Map.of(Seen.KEY, "x"));
    assertEquals(
        new Reading.Found<>(seen(pod, "x")),
        cluster.readPod(pod.namespace(), pod.name(), Seen.noted(), DEADLINE));
    assertEquals(
        new Reading.Absent<>(),
        cluster.readPod(pod.namespace(), world.unique("absent"), Seen.noted(), DEADLINE));
    assertEquals(new Reading.Absent<>(), cluster.readNode(world.unique("absent"), Seen.node()));
  }

  @Test
  void leavesEventsOnPodsAndNodes() throws Exception {
    PodRef pod = world.createPod("eventful");
    var onPod = new EventNote.OnPod(pod);
    var note = new EventNote(onPod, EventNote.Severity.WARNING, "GpuMismatch", "What happened.");
    cluster.event(note);
    cluster.event(note);
    String node = world.unique("node");
    cluster.event(
        new EventNote(
            new EventNote.OnNode(node), EventNote.Severity.NORMAL, "GpuBack", "It is back."));
    Heard.until("both events sent", () -> cluster.eventCounts().sent() == 2);
    assertEquals(1, world.events(pod.namespace(), pod.name(), "GpuMismatch"));
    assertEquals(1, world.events("default", node, "GpuBack"));
    assertEquals(new EventCounts(2, 1, 0, 0), cluster.eventCounts());
  }
}
