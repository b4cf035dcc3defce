package io.gpumem.core.units;

/** The UID that the API server gave a pod: the one name that no later pod can have again. */
public record PodUid(String text) implements Comparable<PodUid> {

  public PodUid {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("expected a pod UID but was empty");
    }
  }

  @Override
  public int compareTo(PodUid other) {
    return text.compareTo(other.text);
  }

  @Override
  public String toString() {
    return text;
  }
}
