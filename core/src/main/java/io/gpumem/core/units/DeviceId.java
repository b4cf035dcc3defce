package io.gpumem.core.units;

import java.util.Optional;

/**
 * The kubelet's name for one unit of one device, written {@code <device uuid>::<n>} with n counted
 * from 0. That the ID names its device is what makes the kubelet's own table the truth: it hands
 * out one ID once, so a device cannot be oversold whatever any annotation says.
 */
public record DeviceId(DeviceUuid device, int number) implements Comparable<DeviceId> {

  private static final String SEPARATOR = "::";

  public DeviceId {
    if (number < 0) {
      throw new IllegalArgumentException("expected a number from 0 but was " + number);
    }
  }

  /** Reads what {@link #toString} writes; empty for anything else, zero-padded numbers included. */
  public static Optional<DeviceId> parse(String text) {
    int at = text.indexOf(SEPARATOR);
    if (at < 0 || !DeviceUuid.isLegal(text.substring(0, at))) {
      return Optional.empty();
    }
    String digits = text.substring(at + SEPARATOR.length());
    try {
      int number = Integer.parseInt(digits);
      boolean canonical = number >= 0 && Integer.toString(number).equals(digits);
      return canonical
          ? Optional.of(new DeviceId(new DeviceUuid(text.substring(0, at)), number))
          : Optional.empty();
    } catch (NumberFormatException notANumber) {
      return Optional.empty();
    }
  }

  @Override
  public int compareTo(DeviceId other) {
    int byDevice = device.compareTo(other.device);
    return byDevice != 0 ? byDevice : Integer.compare(number, other.number);
  }

  @Override
  public String toString() {
    return device.text() + SEPARATOR + number;
  }
}
