package io.gpumem.core.units;

import java.util.Optional;

/**
 * An amount of GPU memory in whole MiB, never negative. The arithmetic is checked: a sum that does
 * not fit a {@code long} is a bug and throws, it never wraps.
 */
public record Memory(long mib) implements Comparable<Memory> {

  public static final Memory ZERO = new Memory(0);

  private static final long MIB_PER_GIB = 1024;
  private static final long BYTES_PER_MIB = 1024 * 1024;

  public Memory {
    if (mib < 0) {
      throw new IllegalArgumentException("expected an amount of memory but was " + mib + " MiB");
    }
  }

  public static Memory ofMib(long mib) {
    return new Memory(mib);
  }

  public static Memory ofGib(long gib) {
    return new Memory(Math.multiplyExact(gib, MIB_PER_GIB));
  }

  /** The whole MiB in an unsigned number of bytes, rounded down, as nvidia-smi prints it. */
  public static Memory ofBytes(long unsignedBytes) {
    return new Memory(Long.divideUnsigned(unsignedBytes, BYTES_PER_MIB));
  }

  /** Reads {@code 143771Mi} or {@code 16Gi}; empty for anything else, other suffixes included. */
  public static Optional<Memory> parse(String text) {
    long factor = text.endsWith("Gi") ? MIB_PER_GIB : text.endsWith("Mi") ? 1 : 0;
    if (factor == 0) {
      return Optional.empty();
    }
    String digits = text.substring(0, text.length() - 2);
    if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return Optional.empty();
    }
    try {
      return Optional.of(new Memory(Math.multiplyExact(Long.parseLong(digits), factor)));
    } catch (NumberFormatException | ArithmeticException tooLarge) {
      return Optional.empty();
    }
  }

  public Memory plus(Memory other) {
    return new Memory(Math.addExact(mib, other.mib));
  }

  /** What is left after taking the other away, and nothing when the other is larger. */
  public Memory minusOrZero(Memory other) {
    return new Memory(Math.max(0, mib - other.mib));
  }

  /** How many whole units of the given size this amount holds. */
  public long units(Memory unit) {
    if (unit.mib == 0) {
      throw new IllegalArgumentException("expected a unit larger than zero");
    }
    return mib / unit.mib;
  }

  @Override
  public int compareTo(Memory other) {
    return Long.compare(mib, other.mib);
  }

  /** {@code 16Gi} for whole GiB, else {@code 143771Mi}; {@link #parse} reads both. */
  @Override
  public String toString() {
    return mib > 0 && mib % MIB_PER_GIB == 0 ? mib / MIB_PER_GIB + "Gi" : mib + "Mi";
  }
}
