package io.gpumem.extender.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.PodReader;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArgsReaderTest {

  private static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);

  private final ArgsReader reader = new ArgsReader(KEYS);

  private ExtenderArgs read(byte[] body) {
    return switch (reader.extenderArgs(body)) {
      case ArgsReader.Body.Read<ExtenderArgs>(ExtenderArgs args) -> args;
      case ArgsReader.Body<ExtenderArgs> other -> throw new AssertionError(other);
    };
  }

  private static Decoded<PodFacts> facts(ExtenderArgs args) {
    return args.pod().orElseThrow().facts(new PodReader(KEYS));
  }

  @ParameterizedTest
  @ValueSource(strings = {"filter-names", "filter-lower-case"})
  void readsWhatMattersInAnyCaseAndOrder(String golden) {
    ExtenderArgs args = read(Golden.bytes(golden));
    assertEquals(List.of("n1", "n2", "n3"), args.names());
    assertEquals(Optional.empty(), args.nodes());
    PodFacts pod = facts(args).understood().orElseThrow();
    assertEquals(new PodName("team-a", "train-0"), pod.name());
    assertEquals("7b1c0c1e-6f0c-4a6e-9e7b-3a1c5d2f8e90", pod.uid().text());
    assertEquals(Optional.empty(), pod.node());
    assertEquals(Optional.of(new NodeName("n2")), pod.nominated());
    assertEquals(1000, pod.priority());
    assertEquals(Instant.parse("2026-12-01T10:15:30Z").toEpochMilli(), pod.createdMillis());
    assertEquals(
        List.of(
            new ContainerDemand("fetch", Phase.INIT, 2),
            new ContainerDemand("proxy", Phase.SIDECAR, 1),
            new ContainerDemand("main", Phase.APP, 8)),
        pod.demand().containers());
    assertEquals(Optional.of(Policy.SPREAD), pod.wish().understood().orElseThrow().policy());
  }

  @Test
  void takesNullsForAbsent() {
    PodFacts pod = facts(read(Golden.bytes("filter-nulls"))).understood().orElseThrow();
    assertEquals(List.of(new ContainerDemand("main", Phase.APP, 8)), pod.demand().containers());
    assertEquals(0, pod.createdMillis());
  }

  @Test
  void takesAPodWithoutContainersForOneThatAsksNothing() {
    assertInstanceOf(Decoded.Absent.class, facts(read(Golden.bytes("filter-null-containers"))));
  }

  @Test
  void findsEachNodesOwnBytes() {
    byte[] body = Golden.bytes("filter-nodes");
    ExtenderArgs args = read(body);
    assertEquals(List.of("n1", "n2"), args.names());
    List<String> raw =
        args.nodes().orElseThrow().stream()
            .map(node -> new String(body, node.from(), node.to() - node.from(), UTF_8))
            .toList();
    assertTrue(raw.get(0).startsWith("{\"metadata\":{\"name\":\"n1\""), raw.get(0));
    assertTrue(raw.get(0).endsWith("\"kernelVersion\":\"6.12\"}}}"), raw.get(0));
    assertEquals(
        "{\"spec\":{\"podCIDR\":\"10.0.0.0/24\"},\"metadata\":{\"name\":\"n2\"}}", raw.get(1));
  }

  @Test
  void readsABindRequestInAnyCase() {
    var expected =
        Map.of(
            "podname",
            "train-0",
            "podnamespace",
            "team-a",
            "poduid",
            "7b1c0c1e-6f0c-4a6e-9e7b-3a1c5d2f8e90",
            "node",
            "n1");
    assertEquals(new ArgsReader.Body.Read<>(expected), reader.texts(Golden.bytes("bind")));
    String lower = Golden.text("bind").replace("PodUID", "podUid").replace("Node\"", "NODE\"");
    assertEquals(new ArgsReader.Body.Read<>(expected), reader.texts(lower.getBytes(UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "   ", "not json", "{", "{\"Pod\":", "{}}", "{} x", "{\"Pod\":tru}"})
  void callsMalformedWhatIsNoJson(String body) {
    assertInstanceOf(
        ArgsReader.Body.Malformed.class, reader.extenderArgs(body.getBytes(UTF_8)), body);
  }

  @Test
  void callsTooDeepNestingMalformed() {
    String deep = "{\"Pod\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
    assertInstanceOf(ArgsReader.Body.Malformed.class, reader.extenderArgs(deep.getBytes(UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "[]", "7", "\"x\"", "[{\"Pod\":{}}]"})
  void callsOtherJsonNoObject(String body) {
    assertEquals(new ArgsReader.Body.NoObject<>(), reader.extenderArgs(body.getBytes(UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"Pod\":null}",
        "{\"Pod\":[]}",
        "{\"Pod\":7,\"NodeNames\":{}}",
        "{\"NodeNames\":7,\"Nodes\":[1]}",
        "{\"Nodes\":{\"items\":null}}"
      })
  void takesValuesOfAnotherKindForAbsent(String body) {
    ExtenderArgs args = read(body.getBytes(UTF_8));
    assertEquals(new ExtenderArgs(Optional.empty(), List.of(), Optional.empty()), args);
  }

  @Test
  void refusesAPodThatAsksButHasNoName() {
    String body =
        "{\"Pod\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":"
            + "{\"limits\":{\"example.com/gpu-mem\":\"1\"}}}]}}}";
    assertInstanceOf(Decoded.Malformed.class, facts(read(body.getBytes(UTF_8))));
  }

  @Test
  void takesHalfASurrogatePairForNoCharacter() {
    String body = "{\"NodeNames\":[\"n\\ud800\",\"\\udc00n\",\"\\ud83d\\ude00\"]}";
    ExtenderArgs args = read(body.getBytes(UTF_8));
    assertEquals(List.of("n\ufffd", "\ufffdn", "\ud83d\ude00"), args.names());
  }
}
