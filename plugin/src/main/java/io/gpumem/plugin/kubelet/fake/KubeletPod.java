package io.gpumem.plugin.kubelet.fake;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A pod that is bound to this node, as the kubelet reads it from the API server. The containers are
 * in the order of the spec, init containers and sidecars first. Two pods may have one name in turn,
 * but never one UID.
 */
public record KubeletPod(
    String uid,
    String namespace,
    String name,
    Instant createdAt,
    List<KubeletContainer> containers) {

  public KubeletPod {
    if (uid.isEmpty() || namespace.isEmpty() || name.isEmpty()) {
      throw new IllegalArgumentException(
          "expected UID, namespace and name but was \"%s\", \"%s\", \"%s\""
              .formatted(uid, namespace, name));
    }
    containers = List.copyOf(containers);
    Set<String> names = new HashSet<>();
    boolean apps = false;
    for (KubeletContainer container : containers) {
      if (!names.add(container.name())) {
        throw new IllegalArgumentException("expected one container " + container.name());
      }
      boolean app = container.kind() == KubeletContainer.Kind.APP;
      if (apps && !app) {
        throw new IllegalArgumentException(
            "expected " + container.name() + " before the app containers");
      }
      apps |= app;
    }
  }

  /** Namespace and name, as people write it. */
  public String fullName() {
    return namespace + "/" + name;
  }
}
