package io.gpumem.core.units;

import java.util.Comparator;
import java.util.Optional;

/** A pod's namespace and name. A later pod can have the same: only {@link PodUid} is unique. */
public record PodName(String namespace, String name) implements Comparable<PodName> {

  private static final Comparator<PodName> ORDER =
      Comparator.comparing(PodName::namespace).thenComparing(PodName::name);

  public PodName {
    if (namespace.isEmpty() || name.isEmpty()) {
      throw new IllegalArgumentException(
          "expected a namespace and a name but was \"" + namespace + "\" and \"" + name + "\"");
    }
  }

  /** Reads {@code namespace/name}. */
  public static Optional<PodName> parse(String text) {
    int slash = text.indexOf('/');
    boolean legal = slash > 0 && slash < text.length() - 1 && text.indexOf('/', slash + 1) < 0;
    return legal
        ? Optional.of(new PodName(text.substring(0, slash), text.substring(slash + 1)))
        : Optional.empty();
  }

  @Override
  public int compareTo(PodName other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
