package io.gpumem.platform.cluster;

/** One pod, for ever: a name can be given again, a UID can't. */
public record PodRef(String namespace, String name, String uid) {
  public PodRef {
    if (namespace.isBlank() || name.isBlank() || uid.isBlank()) {
      throw new IllegalArgumentException(
          "expected namespace, name and UID but was '%s', '%s', '%s'"
              .formatted(namespace, name, uid));
    }
  }
}
