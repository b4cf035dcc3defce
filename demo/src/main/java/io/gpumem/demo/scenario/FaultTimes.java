package io.gpumem.demo.scenario;

import io.gpumem.demo.world.PlayedNode;
import java.util.ArrayList;
import java.util.List;

/**
 * When a node had no working plugin. A kubelet refuses the pods that reach it then, whatever plugin
 * it is; a refusal at any other time is a fault of ours.
 */
final class FaultTimes {

  /** From and to on {@link System#nanoTime}. */
  private record Span(String node, long from, long to) {}

  private final List<Span> spans = new ArrayList<>();

  void begin(String node) {
    spans.add(new Span(node, System.nanoTime(), Long.MAX_VALUE));
  }

  /** The last one that began has ended. */
  void end(String node) {
    Span open = spans.removeLast();
    spans.add(new Span(node, open.from(), System.nanoTime()));
  }

  /** Refusals outside of these times, in sentences. */
  List<String> unexpected(List<PlayedNode> nodes) {
    return nodes.stream()
        .flatMap(node -> node.refusals().stream())
        .filter(refused -> spans.stream().noneMatch(span -> covers(span, refused)))
        .map(
            refused ->
                "%s refused %s: %s, %s"
                    .formatted(refused.node(), refused.pod(), refused.reason(), refused.message()))
        .toList();
  }

  private static boolean covers(Span span, PlayedNode.Refused refused) {
    return span.node().equals(refused.node())
        && refused.at() >= span.from()
        && refused.at() <= span.to();
  }
}
