package io.gpumem.extender.http;

import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.PodReader;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The fields of a pod's JSON that matter, as they were found; a text that was not there is empty.
 *
 * @param annotations those under our resource's name
 * @param containers init containers first, each kind in spec order
 */
record ScannedPod(
    String namespace,
    String name,
    String uid,
    String node,
    String nominated,
    int priority,
    long createdMillis,
    Map<String, String> annotations,
    List<PodReader.SpecContainer> containers) {

  ScannedPod {
    annotations = Map.copyOf(annotations);
    containers = List.copyOf(containers);
  }

  /** The facts; absent when the pod asks for none of our resource, whatever else is missing. */
  Decoded<PodFacts> facts(PodReader reader) {
    if (containers.stream().allMatch(each -> each.quantity().isEmpty())) {
      return Decoded.absent();
    }
    if (namespace.isEmpty() || name.isEmpty() || uid.isEmpty()) {
      return Decoded.malformed("expected the pod's namespace, name and uid");
    }
    var identity =
        new PodReader.Identity(
            new PodUid(uid),
            new PodName(namespace, name),
            node(node),
            node(nominated),
            priority,
            createdMillis);
    return reader.read(identity, annotations, containers);
  }

  private static Optional<NodeName> node(String name) {
    return name.isEmpty() ? Optional.empty() : Optional.of(new NodeName(name));
  }
}
