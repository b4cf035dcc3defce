package io.gpumem.extender.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.placement.Refusal;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.PodReader;
import io.gpumem.extender.verdict.BindResult;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.extender.view.NodeView;
import io.gpumem.platform.fuzz.fake.Fuzz.Outcome;
import io.gpumem.platform.web.Response;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** An answer to a request that may be damaged, held against what is documented. */
final class Judged {

  private static final ObjectMapper JSON = JsonMapper.builder().build();
  private static final Set<String> REFUSALS =
      Arrays.stream(Refusal.values()).map(Refusal::text).collect(Collectors.toSet());
  private static final Set<String> FAILURES =
      Arrays.stream(BindResult.Failure.values())
          .map(BindResult.Failure::text)
          .collect(Collectors.toSet());

  /** An answer repeats each name at most twice, with a reason. */
  private static final int LONGEST_REASON = 100;

  private final Response response;
  private final byte[] body;
  private final ArgsReader.Body<ExtenderArgs> understood;
  private final PodReader pods;

  Judged(Response response, byte[] body, Keys keys) {
    this.response = response;
    this.body = body;
    this.understood = new ArgsReader(keys).extenderArgs(body);
    this.pods = new PodReader(keys);
    assertEquals("application/json", response.contentType());
    long most = 1_000 + 4L * body.length * LONGEST_REASON;
    assertTrue(response.body().length <= most || body.length == 0, "an answer without end");
  }

  private JsonNode json() {
    return JSON.readTree(response.body());
  }

  private boolean isNoJson() {
    if (response.status() != 400) {
      assertEquals(200, response.status());
      return false;
    }
    assertTrue(understood instanceof ArgsReader.Body.Malformed, "400 to what is JSON");
    assertTrue(json().path("error").asString().startsWith("no JSON: "), "says why");
    return true;
  }

  private Optional<ExtenderArgs> args() {
    return understood instanceof ArgsReader.Body.Read<ExtenderArgs>(ExtenderArgs args)
        ? Optional.of(args)
        : Optional.empty();
  }

  Outcome filter(ClusterSnapshot snapshot, boolean intact) {
    if (isNoJson()) {
      assertFalse(intact);
      return new Outcome("filter: no JSON", false);
    }
    JsonNode answer = json();
    assertEquals(
        List.of("Nodes", "NodeNames", "FailedNodes", "FailedAndUnresolvableNodes", "Error"),
        List.copyOf(answer.propertyNames()));
    String error = answer.path("Error").asString();
    if (!error.isEmpty()) {
      assertTrue(answer.path("NodeNames").isNull() && answer.path("Nodes").isNull());
      assertFalse(intact, error);
      boolean deep = !error.startsWith("expected");
      return new Outcome("filter: " + (deep ? "a pod not understood" : error), deep);
    }
    ExtenderArgs args = args().orElseThrow();
    List<String> passed = LiveExtender.texts(answer.path("NodeNames"));
    Set<String> all = new HashSet<>(passed);
    for (String failed : List.of("FailedNodes", "FailedAndUnresolvableNodes")) {
      answer
          .path(failed)
          .properties()
          .forEach(
              each -> {
                assertTrue(REFUSALS.contains(each.getValue().asString()), each::toString);
                assertFalse(passed.contains(each.getKey()), "passed and refused");
                all.add(each.getKey());
              });
    }
    assertEquals(new HashSet<>(args.names()), all, "each name once, and no other");
    args.nodes()
        .ifPresent(nodes -> assertEquals(passed.size(), answer.path("Nodes").path("items").size()));
    Decoded<PodFacts> pod = args.pod().orElseThrow().facts(pods);
    pod.understood().ifPresent(known -> passed.forEach(node -> fits(known, node, snapshot)));
    String kind = pod.understood().isEmpty() ? "asks nothing" : passed.isEmpty() ? "none" : "some";
    return new Outcome("filter: passed " + kind, true);
  }

  /** A coarse look with other eyes: enough is free, and a large enough piece in one place. */
  private static void fits(PodFacts pod, String name, ClusterSnapshot snapshot) {
    NodeView node = snapshot.node(new NodeName(name)).orElseThrow();
    var ledger = node.ledger();
    boolean here = ledger.holding("uid:" + pod.uid()).isPresent();
    long largest =
        node.facts().inventory().devices().stream()
            .filter(ledger::isOpen)
            .mapToLong(ledger::free)
            .max()
            .orElse(0);
    int devices = pod.wish().understood().map(wish -> wish.choice().devices()).orElse(1);
    long piece = pod.demand().containers().stream().mapToLong(each -> each.units()).max().orElse(0);
    assertTrue(here || piece / devices <= largest, () -> name + " has no room for " + piece);
  }

  Outcome prioritize(boolean intact) {
    if (isNoJson()) {
      assertFalse(intact);
      return new Outcome("prioritize: no JSON", false);
    }
    JsonNode answer = json();
    assertTrue(answer.isArray());
    Set<String> hosts = new TreeSet<>();
    int best = 0;
    for (JsonNode each : answer) {
      assertTrue(hosts.add(each.path("Host").asString()), "each host once");
      int score = each.path("Score").asInt(-1);
      assertTrue(score >= 0 && score <= 10, each::toString);
      best = Math.max(best, score);
    }
    assertEquals(args().map(args -> Set.copyOf(args.names())).orElse(Set.of()), Set.copyOf(hosts));
    boolean deep = args().flatMap(ExtenderArgs::pod).isPresent();
    return new Outcome("prioritize: " + (best > 0 ? "ranked" : "indifferent"), deep);
  }

  Outcome explain() {
    JsonNode answer = json();
    assertTrue(Set.of(200, 400, 404).contains(response.status()));
    assertEquals(response.status() == 200, answer.has("nodes"));
    return new Outcome("explain: " + response.status(), response.status() != 400);
  }

  /** The error of a bind's answer, empty text for success; empty when the request is no JSON. */
  Optional<String> bindError() {
    if (isNoJson()) {
      return Optional.empty();
    }
    JsonNode answer = json();
    assertEquals(List.of("Error"), List.copyOf(answer.propertyNames()));
    String error = answer.path("Error").asString();
    boolean known = error.isEmpty() || error.startsWith("expected ") || FAILURES.contains(error);
    assertTrue(known, error);
    return Optional.of(error);
  }
}
