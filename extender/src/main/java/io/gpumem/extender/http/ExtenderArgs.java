package io.gpumem.extender.http;

import java.util.List;
import java.util.Optional;

/**
 * The request of filter and of prioritize.
 *
 * @param pod empty when the request has none
 * @param names the nodes that are asked about, by whichever field named them
 * @param nodes where the nodes' own JSON lies, when they came whole: they go back as they came
 */
record ExtenderArgs(Optional<ScannedPod> pod, List<String> names, Optional<List<RawNode>> nodes) {

  ExtenderArgs {
    names = List.copyOf(names);
    nodes = nodes.map(List::copyOf);
  }

  /** One node's JSON: the bytes of the request's body between two places. */
  record RawNode(String name, int from, int to) {}
}
