package io.gpumem.platform.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A test's trimmed pod or node: name, and what it looks at. */
record Seen(String name, String note) {

  static final String KEY = "example.com/note";

  /** Name and node. */
  static Function<Pod, Optional<Seen>> placed() {
    return pod ->
        Optional.of(
            new Seen(
                pod.getMetadata().getName(),
                Optional.ofNullable(pod.getSpec().getNodeName()).orElse("")));
  }

  /** Name and the note annotation; a pod of the note "not ours" is not. */
  static Function<Pod, Optional<Seen>> noted() {
    return pod -> {
      String note = note(pod.getMetadata().getAnnotations());
      return note.equals("not ours")
          ? Optional.empty()
          : Optional.of(new Seen(pod.getMetadata().getName(), note));
    };
  }

  /** Name and the note annotation of a node. */
  static Function<Node, Optional<Seen>> node() {
    return node ->
        Optional.of(
            new Seen(node.getMetadata().getName(), note(node.getMetadata().getAnnotations())));
  }

  private static String note(Map<String, String> annotations) {
    return annotations == null ? "" : annotations.getOrDefault(KEY, "");
  }
}
