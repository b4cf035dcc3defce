package io.gpumem.core.units;

/**
 * The name that NVML gives a device: {@code GPU-<uuid>} for a whole GPU, {@code MIG-<uuid>} for a
 * MIG device. It survives reboots and renumbering (of a MIG device: until its instance is made
 * anew), which is why everything is keyed by it and never by an index.
 */
public record DeviceUuid(String text) implements Comparable<DeviceUuid> {

  /** The longest text that is taken for a UUID; NVML's own buffer holds 96 characters. */
  private static final int LONGEST = 96;

  public DeviceUuid {
    if (!isLegal(text)) {
      throw new IllegalArgumentException("expected a device UUID but was \"" + text + "\"");
    }
  }

  /**
   * Whether the text can name a device: not empty, printable, and such that a device ID made of it
   * is read back, so neither with "::" inside nor with a colon at the end.
   */
  public static boolean isLegal(String text) {
    if (text.isEmpty() || text.length() > LONGEST || text.contains("::") || text.endsWith(":")) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 127 || c == '"' || c == ',') {
        return false;
      }
    }
    return true;
  }

  @Override
  public int compareTo(DeviceUuid other) {
    return text.compareTo(other.text);
  }

  @Override
  public String toString() {
    return text;
  }
}
