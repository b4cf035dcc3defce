package io.gpumem.core.ledger;

/**
 * Something that the world shows and that should not be. It moves nothing; it is counted, logged
 * and shown to people.
 *
 * @param subject the pod, node or device it is about, and what was found
 */
public record Discrepancy(Kind kind, String subject) implements Comparable<Discrepancy> {

  /** The kinds, few and fixed, so that each can be a metric's label. */
  public enum Kind {
    RESERVATION_UNREADABLE,
    RESERVATION_OTHER_UID,
    RESERVATION_OTHER_NODE,
    RESERVATION_UNKNOWN_DEVICE,
    RESERVATION_OTHER_AMOUNTS,
    UNPLACED_POD,
    POD_WITHOUT_DEVICE,
    UNKNOWN_HOLDER,
    UNKNOWN_DEVICE_HELD,
    OVER_USE
  }

  @Override
  public int compareTo(Discrepancy other) {
    int byKind = kind.compareTo(other.kind);
    return byKind != 0 ? byKind : subject.compareTo(other.subject);
  }
}
