package io.gpumem.core.demand;

import java.util.Optional;

/** Which of the devices that fit is taken. */
public enum Policy {
  /** The fullest device that still fits, so that large pieces stay whole. */
  BINPACK,
  /** The emptiest device, so that pods disturb each other least. */
  SPREAD;

  public static Optional<Policy> parse(String text) {
    return switch (text) {
      case "binpack" -> Optional.of(BINPACK);
      case "spread" -> Optional.of(SPREAD);
      default -> Optional.empty();
    };
  }

  @Override
  public String toString() {
    return this == BINPACK ? "binpack" : "spread";
  }
}
