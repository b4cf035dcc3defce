package io.gpumem.platform.cluster.fake;

import java.util.Comparator;

/**
 * Where an object lies. Ordered as the API server lists: by namespace, then by name.
 *
 * @param namespace empty for kinds without one
 */
public record ObjectKey(ResourceKind kind, String namespace, String name)
    implements Comparable<ObjectKey> {

  private static final Comparator<ObjectKey> ORDER =
      Comparator.comparing(ObjectKey::kind)
          .thenComparing(ObjectKey::namespace)
          .thenComparing(ObjectKey::name);

  public static ObjectKey pod(String namespace, String name) {
    return new ObjectKey(ResourceKind.PODS, namespace, name);
  }

  public static ObjectKey node(String name) {
    return new ObjectKey(ResourceKind.NODES, "", name);
  }

  @Override
  public int compareTo(ObjectKey other) {
    return ORDER.compare(this, other);
  }
}
