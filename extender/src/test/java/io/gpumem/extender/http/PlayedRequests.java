package io.gpumem.extender.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.Keys;
import io.gpumem.extender.Crowd;
import io.gpumem.extender.RunningView;
import io.gpumem.extender.verdict.Bind;
import io.gpumem.extender.verdict.Explain;
import io.gpumem.extender.verdict.Filter;
import io.gpumem.extender.verdict.PodLookup;
import io.gpumem.extender.verdict.Prioritize;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.extender.view.NodeView;
import io.gpumem.platform.cluster.Reading;
import io.gpumem.platform.fuzz.fake.Fuzz;
import io.gpumem.platform.fuzz.fake.Mutator;
import io.gpumem.platform.fuzz.fake.Trace;
import io.gpumem.platform.web.Request;
import io.gpumem.platform.web.Response;
import io.gpumem.platform.web.Routes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * The extender's routes over a crowded view, called with one damaged request after another. Filter
 * and prioritize must leave the snapshot as it is, and bind may change it by a Binding that was
 * posted, and by nothing else; what a run's Binding changed is taken back, so that each run finds
 * the same cluster.
 */
final class PlayedRequests implements Fuzz.Victim {

  private static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);
  private static final Duration BIND_TIMEOUT = Duration.ofSeconds(4);
  private static final Duration STEP = Duration.ofMillis(50);

  private final RunningView running;
  private final Routes routes;
  private final List<String> names = new ArrayList<>();
  private final List<PodFacts> pods = new ArrayList<>();

  /** What the API server knows: all pods, also some that the watch has not shown. */
  private final Map<PodUid, PodFacts> api = new LinkedHashMap<>();

  private final PostedBindings posted = new PostedBindings(KEYS);
  private final Map<NodeName, NodeLedger> before;

  PlayedRequests(Random chance) {
    Crowd crowd = Crowd.of(chance);
    pods.addAll(crowd.bound());
    pods.addAll(crowd.waiting());
    pods.forEach(pod -> api.put(pod.uid(), pod));
    List<PodFacts> seen = new ArrayList<>(pods);
    seen.remove(crowd.waiting().getLast());
    running = RunningView.of(crowd.nodes(), seen);
    crowd.nodes().forEach(node -> names.add(node.name().text()));
    names.add("stranger");
    var filter = new Filter(Policy.BINPACK);
    var bind =
        new Bind(
            running.view,
            posted,
            new PodLookup(this::read),
            filter,
            KEYS,
            running.time,
            BIND_TIMEOUT);
    routes =
        new SchedulerRoutes(
                running.view,
                filter,
                new Prioritize(Policy.BINPACK),
                bind,
                KEYS,
                new VerbMetrics(running.metrics),
                running.time)
            .routes()
            .and(new PeopleRoutes(running.view, new Explain(filter), running.time).routes());
    before = ledgers();
  }

  private Reading<PodFacts> read(String namespace, String name, Duration deadline) {
    return api.values().stream()
        .filter(pod -> pod.name().namespace().equals(namespace) && pod.name().name().equals(name))
        .findFirst()
        .<Reading<PodFacts>>map(Reading.Found::new)
        .orElseGet(Reading.Absent::new);
  }

  private Map<NodeName, NodeLedger> ledgers() {
    Map<NodeName, NodeLedger> ledgers = new TreeMap<>();
    for (NodeView node : running.snapshot().nodes()) {
      ledgers.put(node.name(), node.ledger());
    }
    return ledgers;
  }

  @Override
  public Fuzz.Outcome play(Random chance, Trace trace) throws Exception {
    var mutator = new Mutator(chance);
    boolean intact = chance.nextInt(16) == 0;
    var texts =
        new RequestTexts(
            chance, value -> intact || chance.nextInt(4) > 0 ? value : mutator.json(value));
    PodFacts pod = pods.get(chance.nextInt(pods.size()));
    running.time.advance(STEP);
    return switch (chance.nextInt(10)) {
      case 0 -> explain(pod, mutator, trace);
      case 1, 2, 3 -> {
        String node = names.get(chance.nextInt(names.size()));
        String text = texts.bind(pod, new NodeName(node));
        posted.answerBy(chance, pod, mutator);
        yield bind(body(text, intact, mutator), intact, trace);
      }
      case 4, 5, 6 -> prioritize(body(texts.args(pod, names), intact, mutator), intact, trace);
      default -> filter(body(texts.args(pod, names), intact, mutator), intact, trace);
    };
  }

  private static byte[] body(String text, boolean intact, Mutator mutator) {
    return intact
        ? text.getBytes(java.nio.charset.StandardCharsets.UTF_8)
        : mutator.encoded(mutator.json(text));
  }

  private Response post(String path, byte[] body, Trace trace) throws Exception {
    trace.input("POST " + path, body);
    return routes
        .handler("POST", path)
        .orElseThrow()
        .handle(new Request("POST", path, Map.of(), Map.of(), body));
  }

  private Fuzz.Outcome filter(byte[] body, boolean intact, Trace trace) throws Exception {
    ClusterSnapshot snapshot = running.snapshot();
    Response response = post("/filter", body, trace);
    assertSame(snapshot, running.snapshot(), "filter changes nothing");
    return new Judged(response, body, KEYS).filter(snapshot, intact);
  }

  private Fuzz.Outcome prioritize(byte[] body, boolean intact, Trace trace) throws Exception {
    ClusterSnapshot snapshot = running.snapshot();
    Response response = post("/prioritize", body, trace);
    assertSame(snapshot, running.snapshot(), "prioritize changes nothing");
    return new Judged(response, body, KEYS).prioritize(intact);
  }

  private Fuzz.Outcome explain(PodFacts pod, Mutator mutator, Trace trace) throws Exception {
    String name = mutator.text(pod.name().toString());
    trace.input("GET /api/v1/explain?pod=", name);
    Response response =
        routes
            .handler("GET", "/api/v1/explain")
            .orElseThrow()
            .handle(
                new Request("GET", "/api/v1/explain", Map.of("pod", name), Map.of(), new byte[0]));
    return new Judged(response, new byte[0], KEYS).explain();
  }

  private Fuzz.Outcome bind(byte[] body, boolean intact, Trace trace) throws Exception {
    posted.forget();
    Response response = post("/bind", body, trace);
    running.settle();
    Judged judged = new Judged(response, body, KEYS);
    Optional<String> error = judged.bindError();
    if (error.isEmpty()) {
      assertEquals(List.of(), posted.sent(), "no Binding for what is no JSON");
      assertEquals(before, ledgers());
      return new Fuzz.Outcome("bind: no JSON", false);
    }
    assertTrue(!intact || !error.get().startsWith("expected"), error.get());
    assertTrue(posted.sent().size() <= 1, "one Binding at most");
    for (PostedBindings.Sent sent : posted.sent()) {
      judge(sent, error.get());
    }
    assertEquals(before, ledgers(), "only a Binding changes the books");
    assertEquals(List.of(), running.snapshot().assumptions());
    String kind = error.get().isEmpty() ? "bound" : error.get();
    return new Fuzz.Outcome("bind: " + kind, !error.get().startsWith("expected"));
  }

  /** What one Binding changed, and that it is undone with the pod. */
  private void judge(PostedBindings.Sent sent, String error) {
    Optional<PodFacts> known = Optional.ofNullable(api.get(new PodUid(sent.pod().uid())));
    if (sent.plan().isEmpty()) {
      assertEquals(before, ledgers(), "a pod that asks nothing is in no books");
      return;
    }
    PodFacts pod = known.orElseThrow(() -> new AssertionError("a plan for nobody: " + sent));
    assertTrue(pod.node().isEmpty(), () -> "a Binding for a pod that is bound: " + sent);
    NodeName node = new NodeName(sent.node());
    Map<NodeName, NodeLedger> now = ledgers();
    NodeLedger old = before.get(node);
    posted.judge(sent, pod, old, now.get(node), error);
    now.remove(node);
    Map<NodeName, NodeLedger> others = new TreeMap<>(before);
    others.remove(node);
    sent.elsewhere().ifPresent(other -> now.remove(other));
    sent.elsewhere().ifPresent(other -> others.remove(other));
    assertEquals(others, now, "the books of other nodes");
    boolean isShown = running.snapshot().waiting(pod.uid()).isPresent();
    running.miss(pod);
    if (isShown) {
      running.see(pod);
    }
  }

  @Override
  public void close() {
    try {
      assertEquals(before, ledgers());
    } finally {
      running.close();
    }
  }
}
