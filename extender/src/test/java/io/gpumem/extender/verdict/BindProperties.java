package io.gpumem.extender.verdict;

import static io.gpumem.extender.Given.gpu;
import static io.gpumem.extender.Given.node;
import static io.gpumem.extender.Given.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.platform.cluster.BindOutcome;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.cluster.PodRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BindProperties {

  private static final long UNITS = 16;
  private static final int DEVICES = 2;
  private static final List<String> NODES = List.of("n1", "n2", "n3");
  private static final int STEPS = 150;

  static LongStream seeds() {
    return LongStream.range(0, 60);
  }

  @Test
  void letsExactlyOneOfFiftyConcurrentBindsTakeTheOnlyPlace() throws Exception {
    int threads = 50;
    PodFacts[] pods = new PodFacts[threads];
    for (int i = 0; i < threads; i++) {
      pods[i] = pod("p" + i, 10);
    }
    try (var scene = new Scene(List.of(node("n1", UNITS)), pods);
        var executor = Executors.newFixedThreadPool(threads)) {
      var together = new CountDownLatch(threads);
      List<Callable<BindResult>> binds = new ArrayList<>();
      for (PodFacts pod : pods) {
        binds.add(
            () -> {
              together.countDown();
              together.await();
              return scene.bind(pod, "n1");
            });
      }
      int bound = 0;
      for (Future<BindResult> result : executor.invokeAll(binds)) {
        bound += result.get() instanceof BindResult.Bound ? 1 : 0;
      }
      assertEquals(1, bound);
      assertEquals(1, scene.sent.size());
      assertEquals(10, scene.running.used("n1", 0));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void neverSellsMoreOfADeviceThanItHasHoweverLateTheWatchIs(long seed) {
    List<NodeFacts> nodes = NODES.stream().map(name -> node(name, UNITS, UNITS)).toList();
    try (var scene = new Scene(nodes)) {
      var world = new World(scene, new Random(seed));
      for (int step = 0; step < STEPS; step++) {
        world.step();
        world.assertNothingOversold("seed " + seed + ", step " + step);
      }
      world.comeToRest();
      world.assertBooksAreTheModels("seed " + seed);
      world.assertFilterAgrees("seed " + seed);
    }
  }

  /** One random run. */
  private static final class World {
    private final Scene scene;
    private final Random chance;
    private final ToyApi api = new ToyApi();
    private final Bind bind;
    private final Doubts doubts;
    private int created;

    World(Scene scene, Random chance) {
      this.scene = scene;
      this.chance = chance;
      PodLookup.PodSource source = api::read;
      var view = scene.running.view;
      var time = scene.running.time;
      bind =
          new Bind(
              view,
              this::post,
              new PodLookup(source),
              scene.filter,
              Scene.KEYS,
              time,
              Scene.BIND_TIMEOUT);
      doubts = new Doubts(view, source, time);
    }

    /** The answer may be lost, with the Binding made, not made, or made a little later. */
    private BindOutcome post(
        PodRef pod, String node, Map<String, String> annotations, Duration deadline) {
      return switch (chance.nextInt(8)) {
        case 0 -> {
          BindOutcome unheard = api.commit(pod, node, annotations);
          yield new BindOutcome.Unknown("lost after " + unheard);
        }
        case 1 -> new BindOutcome.Unknown("lost on the way");
        case 2 -> {
          api.late.add(() -> assertTrue(api.commit(pod, node, annotations) != null));
          yield new BindOutcome.Unknown("late");
        }
        case 3 -> new BindOutcome.Refused(429, "too many requests");
        default -> api.commit(pod, node, annotations);
      };
    }

    void step() {
      switch (chance.nextInt(10)) {
        case 0, 1 -> api.create(pod("p" + created++, 1 + chance.nextInt((int) UNITS)));
        case 2 -> anyPod(api::delete);
        case 3, 4 -> deliver(chance.nextInt(4));
        case 5 -> relist();
        case 6 -> commitLate();
        case 7 -> timePasses();
        default -> anyPod(this::bind);
      }
      scene.running.settle();
    }

    private void anyPod(java.util.function.Consumer<PodFacts> action) {
      List<PodFacts> all = List.copyOf(api.pods.values());
      if (!all.isEmpty()) {
        action.accept(all.get(chance.nextInt(all.size())));
      }
    }

    private void bind(PodFacts pod) {
      String node = NODES.get(chance.nextInt(NODES.size()));
      try {
        BindResult result = bind.bind(new BindRequest(pod.name(), pod.uid(), new NodeName(node)));
        if (result instanceof BindResult.Bound) {
          PodFacts now = Objects.requireNonNull(api.pods.get(pod.uid()));
          assertEquals(node, now.node().orElseThrow().text(), "OK only when it is bound there");
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private void deliver(int most) {
      for (int i = 0; i < most && !api.watch.isEmpty(); i++) {
        scene.running.view.onPods(api.watch.removeFirst());
      }
    }

    /** The watch broke: its events are lost, and a list takes their place. */
    private void relist() {
      api.watch.clear();
      List<PodFacts> all = List.copyOf(api.pods.values());
      scene.running.view.onPods(new FeedEvent.Listed<>(all, List.of()));
    }

    private void commitLate() {
      if (!api.late.isEmpty()) {
        api.late.remove(chance.nextInt(api.late.size())).run();
      }
    }

    /** A request that was given up is committed within the time that the doubts wait. */
    private void timePasses() {
      scene.running.time.advance(Duration.ofMillis(chance.nextInt(3_000)));
      boolean due =
          scene.running.snapshot().assumptions().stream()
              .anyMatch(
                  each ->
                      scene.running.time.monotonicNanos() - each.sinceNanos()
                          > Doubts.AFTER_DOUBT.toNanos());
      if (due) {
        while (!api.late.isEmpty()) {
          commitLate();
        }
      }
      doubts.round();
    }

    void comeToRest() {
      while (!api.late.isEmpty()) {
        commitLate();
      }
      relist();
      scene.running.settle();
      scene.running.time.advance(Doubts.AFTER_CERTAINTY.plusSeconds(1));
      doubts.round();
      scene.running.settle();
    }

    void assertNothingOversold(String where) {
      api.used()
          .forEach(
              (device, units) ->
                  assertTrue(units <= UNITS, where + ": " + device + " has " + units));
    }

    void assertBooksAreTheModels(String where) {
      for (String node : NODES) {
        for (int i = 0; i < DEVICES; i++) {
          long model = api.used().getOrDefault(gpu(node, i), 0L);
          assertEquals(model, scene.running.used(node, i), where + ", " + gpu(node, i));
        }
      }
      assertEquals(List.of(), scene.running.snapshot().assumptions(), where);
    }

    void assertFilterAgrees(String where) {
      for (long units = 1; units <= UNITS + 1; units++) {
        List<String> expected = new ArrayList<>();
        for (String node : NODES) {
          long free = 0;
          for (int i = 0; i < DEVICES; i++) {
            free = Math.max(free, UNITS - api.used().getOrDefault(gpu(node, i), 0L));
          }
          if (free >= units) {
            expected.add(node);
          }
        }
        Filtered filtered =
            scene.filter.filter(scene.running.snapshot(), pod("probe", units), NODES, 0);
        assertEquals(expected, filtered.passed(), where + ", " + units + " units");
      }
    }
  }
}
