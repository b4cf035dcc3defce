package io.gpumem.extender.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.ledger.Holding;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.wire.AllocationsCodec;
import io.gpumem.core.wire.InventoryCodec;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.ReservationCodec;
import io.gpumem.core.wire.Summary;
import io.gpumem.extender.Crowd;
import io.gpumem.extender.Given;
import io.gpumem.extender.RunningView;
import io.gpumem.extender.verdict.Filter;
import io.gpumem.platform.fuzz.fake.Fuzz;
import io.gpumem.platform.fuzz.fake.Mutator;
import io.gpumem.platform.fuzz.fake.Trace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A view of a cluster in which one annotation after another is forged and then put right again. A
 * forged text must move nothing but what it is about, and never more than it may.
 */
final class PlayedAnnotations implements Fuzz.Victim {

  private static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);

  private final ForgedFacts forged = new ForgedFacts(KEYS);
  private final RunningView running;
  private final List<NodeFacts> nodes;
  private final List<PodFacts> pods;
  private final Map<NodeName, NodeBooks> before = new TreeMap<>();
  private final Filter filter = new Filter(Policy.BINPACK);

  PlayedAnnotations(Random chance) {
    Crowd crowd = Crowd.of(chance);
    nodes = crowd.nodes();
    pods = crowd.bound().isEmpty() ? List.of(placed()) : crowd.bound();
    running = RunningView.of(nodes, pods);
    running.snapshot().nodes().forEach(node -> before.put(node.name(), node.books()));
    for (NodeFacts node : nodes) {
      assertEquals(Optional.of(node), read(node, annotations(node)), "the honest texts");
    }
  }

  private static PodFacts placed() {
    return Given.bound(Given.pod("only", 1), "n0", 0);
  }

  private Optional<NodeFacts> read(NodeFacts node, Map<String, String> annotations) {
    return forged.node(
        node.name().text(),
        node.ready(),
        annotations,
        Map.of(KEYS.unitLabel(), "1Gi", KEYS.largestDeviceLabel(), "16"));
  }

  private static Map<String, String> annotations(NodeFacts node) {
    Map<String, String> annotations = new HashMap<>();
    annotations.put(KEYS.devices(), InventoryCodec.encode(node.inventory()));
    annotations.put(KEYS.allocations(), AllocationsCodec.encode(node.allocations()));
    annotations.put(KEYS.summary(), Summary.of(NodeBooks.of(node, List.of()).ledger()));
    return annotations;
  }

  private static Map<String, String> annotations(PodFacts pod) {
    Map<String, String> annotations = new HashMap<>();
    pod.reservation()
        .understood()
        .ifPresent(plan -> annotations.put(KEYS.reservation(), ReservationCodec.encode(plan)));
    return annotations;
  }

  @Override
  public Fuzz.Outcome play(Random chance, Trace trace) {
    var mutator = new Mutator(chance);
    return switch (chance.nextInt(12)) {
      case 0, 1, 2, 3 -> inventoryOrTable(chance, mutator, trace);
      case 4 -> cordon(chance, mutator, trace);
      case 5 -> forPeople(chance, mutator, trace);
      case 6 -> wish(chance, mutator, trace);
      case 7 -> amount(chance, mutator, trace);
      default -> reservation(chance, mutator, trace);
    };
  }

  private <T> T oneOf(List<T> items, Random chance) {
    return items.get(chance.nextInt(items.size()));
  }

  private static String forgery(String honest, Random chance, Mutator mutator) {
    return chance.nextInt(3) == 0 ? mutator.meaning(honest) : mutator.json(honest);
  }

  private Fuzz.Outcome inventoryOrTable(Random chance, Mutator mutator, Trace trace) {
    NodeFacts node = oneOf(nodes, chance);
    Map<String, String> annotations = annotations(node);
    String key = chance.nextBoolean() ? KEYS.devices() : KEYS.allocations();
    String text = forgery(annotations.get(key), chance, mutator);
    trace.input(node.name() + " " + key, text);
    annotations.put(key, text);
    Decoded<?> decoded =
        key.equals(KEYS.devices())
            ? readBack(text, InventoryCodec::decode, InventoryCodec::encode)
            : readBack(text, AllocationsCodec::decode, AllocationsCodec::encode);
    shown(node, annotations);
    putBack(node);
    boolean isRead = decoded.understood().isPresent();
    return new Fuzz.Outcome(key + (isRead ? " understood" : " refused"), past(decoded));
  }

  private void shown(NodeFacts node, Map<String, String> annotations) {
    Map<NodeName, NodeView> others = others(node.name());
    long told = forged.unreadable();
    Optional<NodeFacts> now = read(node, annotations);
    now.ifPresentOrElse(running::see, () -> running.miss(node));
    assertTrue(now.isPresent() || forged.unreadable() > told, "a lost node is told of");
    assertOthers(others);
    OnePodsBooks.hold(running.snapshot());
    assertProbe();
  }

  private void putBack(NodeFacts node) {
    running.see(node);
    assertEquals(before.get(node.name()), running.node(node.name().text()).books());
  }

  private Fuzz.Outcome cordon(Random chance, Mutator mutator, Trace trace) {
    NodeFacts node = oneOf(nodes, chance);
    String good = "0, " + node.inventory().devices().getLast().uuid() + ",1";
    String text = mutator.text(good);
    trace.input(node.name() + " cordon", text);
    Map<String, String> annotations = annotations(node);
    annotations.put(KEYS.cordon(), text);
    shown(node, annotations);
    NodeView now = running.node(node.name().text());
    assertEquals(node.inventory(), now.facts().inventory());
    assertEquals(
        settled(before.get(node.name()).ledger()),
        settled(now.ledger()),
        "a cordon moves nothing that has its place");
    assertTrue(now.ledger().inventory().devices().size() >= now.facts().cordoned().size());
    putBack(node);
    return new Fuzz.Outcome("cordon of " + now.facts().cordoned().size() + " devices", true);
  }

  /** What has its place; a plan that has not may keep away from the cordoned device. */
  private static List<Object> settled(NodeLedger ledger) {
    List<Object> settled = new ArrayList<>();
    for (Holding each : ledger.holdings()) {
      long planned = each.reserved().values().stream().mapToLong(Long::longValue).sum();
      settled.add(
          List.of(each.holder(), each.allocated(), each.surplus(), each.unplaced(), planned));
    }
    return settled;
  }

  private Fuzz.Outcome forPeople(Random chance, Mutator mutator, Trace trace) {
    NodeFacts node = oneOf(nodes, chance);
    String text = mutator.text(Summary.of(NodeBooks.of(node, List.of()).ledger()));
    trace.input(node.name() + " summary and labels", text);
    Map<String, String> annotations = annotations(node);
    annotations.put(KEYS.summary(), text);
    Optional<NodeFacts> now =
        forged.node(
            node.name().text(),
            node.ready(),
            annotations,
            Map.of(KEYS.unitLabel(), text, KEYS.largestDeviceLabel(), text));
    assertEquals(Optional.of(node), now, "nobody reads what is for people");
    return new Fuzz.Outcome("summary and labels", true);
  }

  private Fuzz.Outcome reservation(Random chance, Mutator mutator, Trace trace) {
    PodFacts pod = oneOf(pods, chance);
    String honest =
        annotations(chance.nextInt(4) == 0 ? oneOf(pods, chance) : pod).get(KEYS.reservation());
    String text = forgery(honest, chance, mutator);
    trace.input(pod.name() + " reservation", text);
    var decoded = readBack(text, ReservationCodec::decode, ReservationCodec::encode);
    PodFacts now =
        forged.pod(pod, Map.of(KEYS.reservation(), text), Optional.empty()).orElseThrow();
    Map<NodeName, NodeView> others = others(pod.node().orElseThrow());
    NodeBooks old = before.get(pod.node().orElseThrow());
    running.see(now);
    assertOthers(others);
    NodeView view = running.node(pod.node().orElseThrow().text());
    OnePodsBooks.hold(running.snapshot());
    OnePodsBooks.sameAmounts(old, view.books());
    boolean isBelieved = view.books().discrepancies().equals(old.discrepancies());
    running.see(pod);
    assertEquals(old, running.node(view.name().text()).books());
    String kind = decoded.understood().isEmpty() ? "refused" : isBelieved ? "believed" : "not so";
    return new Fuzz.Outcome("reservation " + kind, past(decoded));
  }

  private Fuzz.Outcome wish(Random chance, Mutator mutator, Trace trace) {
    PodFacts pod = oneOf(pods, chance);
    Map<String, String> annotations = annotations(pod);
    annotations.put(KEYS.policy(), chance.nextBoolean() ? "spread" : mutator.text("binpack"));
    annotations.put(KEYS.deviceCount(), mutator.text("2"));
    annotations.put(KEYS.model(), mutator.text("NVIDIA H200, NVIDIA L4"));
    trace.input(pod.name() + " wish", annotations.toString());
    PodFacts now = forged.pod(pod, annotations, Optional.empty()).orElseThrow();
    running.see(now);
    NodeName node = pod.node().orElseThrow();
    assertEquals(before.get(node), running.node(node.text()).books(), "a wish moves nothing");
    running.see(pod);
    PodFacts waiting = Given.withWish(Given.pod("asks", 2), now.wish());
    List<String> names = nodes.stream().map(each -> each.name().text()).toList();
    int answers = filter.filter(running.snapshot(), waiting, names, 0).passed().size();
    assertTrue(now.wish().problem().isEmpty() || answers == 0, "nothing is guessed");
    boolean isRead = now.wish().problem().isEmpty();
    return new Fuzz.Outcome("wish " + (isRead ? "understood" : "refused"), isRead);
  }

  private Fuzz.Outcome amount(Random chance, Mutator mutator, Trace trace) {
    PodFacts pod = oneOf(pods, chance);
    String amount = mutator.text(chance.nextBoolean() ? "8" : Long.toString(mutator.number()));
    trace.input(pod.name() + " amount", amount);
    NodeName node = pod.node().orElseThrow();
    Map<NodeName, NodeView> others = others(node);
    Optional<PodFacts> now = forged.pod(pod, annotations(pod), Optional.of(amount));
    now.ifPresentOrElse(running::see, () -> running.miss(pod));
    assertOthers(others);
    OnePodsBooks.hold(running.snapshot());
    OnePodsBooks.sameAmountsBut(pod.uid(), before.get(node), running.node(node.text()).books());
    // Both lists, for the order of appearance counts and a pod that was gone comes last.
    running.listPods();
    running.listPods(pods.toArray(PodFacts[]::new));
    assertEquals(before.get(node), running.node(node.text()).books());
    return new Fuzz.Outcome("amount " + (now.isPresent() ? "read" : "refused"), now.isPresent());
  }

  private Map<NodeName, NodeView> others(NodeName than) {
    Map<NodeName, NodeView> others = new HashMap<>();
    for (NodeView node : running.snapshot().nodes()) {
      if (!node.name().equals(than)) {
        others.put(node.name(), node);
      }
    }
    return others;
  }

  private void assertOthers(Map<NodeName, NodeView> others) {
    others.forEach(
        (name, view) -> assertSame(view, running.node(name.text()), "another node is untouched"));
  }

  /** Filter lets nothing onto a node but what has room there, whatever the texts say. */
  private void assertProbe() {
    List<String> names = new ArrayList<>();
    nodes.forEach(node -> names.add(node.name().text()));
    for (long units : new long[] {1, 8, Long.MAX_VALUE}) {
      PodFacts probe = Given.pod("probe", units);
      for (String name : filter.filter(running.snapshot(), probe, names, 0).passed()) {
        var ledger = running.node(name).ledger();
        assertTrue(
            ledger.inventory().devices().stream()
                .anyMatch(device -> ledger.isOpen(device) && ledger.free(device) >= units));
      }
    }
  }

  private static <T> Decoded<T> readBack(
      String text, Function<Optional<String>, Decoded<T>> decode, Function<T, String> encode) {
    Decoded<T> read = decode.apply(Optional.of(text));
    read.understood()
        .ifPresent(
            value -> assertEquals(read, decode.apply(Optional.of(encode.apply(value))), text));
    read.problem().ifPresent(why -> assertTrue(why.length() < 300, why));
    return read;
  }

  /** Whether the text was JSON of our version, and so was looked into. */
  private static boolean past(Decoded<?> read) {
    return read.problem()
        .map(why -> !why.contains("at character") && !why.startsWith("expected an object"))
        .orElse(true);
  }

  @Override
  public void close() {
    running.close();
  }
}
