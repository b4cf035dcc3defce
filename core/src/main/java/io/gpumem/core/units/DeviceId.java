package io.gpumem.core.units;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The kubelet's name for one unit of one device, written {@code <device uuid>::<n>} with n counted
 * from 0. That the ID names its device is what makes the kubelet's own table the truth: it hands
 * out one ID once, so a device cannot be oversold whatever any annotation says.
 */
public record DeviceId(DeviceUuid device, int number) implements Comparable<DeviceId> {

  /**
   * Beyond the units of any device: at 1 MiB a unit these are a TiB. A set keeps a bit for each.
   */
  public static final int LARGEST = (1 << 20) - 1;

  private static final String SEPARATOR = "::";
  private static final int MOST_DIGITS = 7;

  public DeviceId {
    if (number < 0 || number > LARGEST) {
      throw new IllegalArgumentException(
          "expected a number from 0 to " + LARGEST + " but was " + number);
    }
  }

  /** Reads what {@link #toString} writes; empty for anything else, zero-padded numbers included. */
  public static Optional<DeviceId> parse(String text) {
    String device = device(text);
    OptionalInt number = number(text, device.length());
    return number.isPresent() && DeviceUuid.isLegal(device)
        ? Optional.of(new DeviceId(new DeviceUuid(device), number.getAsInt()))
        : Optional.empty();
  }

  /** The part of an ID's text that names the device; all of a text that is none. */
  public static String device(String text) {
    int at = text.indexOf(SEPARATOR);
    return at < 0 ? text : text.substring(0, at);
  }

  /** The number in an ID's text behind a device's name of that length; empty when it is none. */
  public static OptionalInt number(String text, int deviceLength) {
    int number = whole(text, deviceLength + SEPARATOR.length());
    return number < 0 || number > LARGEST ? OptionalInt.empty() : OptionalInt.of(number);
  }

  /** A number as we write it; negative when the text is none. */
  private static int whole(String text, int from) {
    int digits = text.length() - from;
    if (digits < 1 || digits > MOST_DIGITS || (digits > 1 && text.charAt(from) == '0')) {
      return -1;
    }
    int number = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        return -1;
      }
      number = number * 10 + (c - '0');
    }
    return number;
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
