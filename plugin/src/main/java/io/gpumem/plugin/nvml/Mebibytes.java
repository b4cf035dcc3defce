package io.gpumem.plugin.nvml;

import io.gpumem.core.units.Memory;

/** Turns the driver's bytes into whole MiB where rounding down would promise too much. */
public final class Mebibytes {

  private static final long BYTES = 1024 * 1024;

  private Mebibytes() {}

  /** The number of bytes is unsigned. */
  public static Memory roundedUp(long bytes) {
    long rest = Long.remainderUnsigned(bytes, BYTES);
    return rest == 0 ? Memory.ofBytes(bytes) : Memory.ofBytes(bytes).plus(Memory.ofMib(1));
  }
}
