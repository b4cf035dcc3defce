package io.gpumem.plugin.nvml;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the driver and the kernel's files are, as this process sees them.
 *
 * @param library the NVML library itself, when the admin names it; else it is searched for
 * @param driverRoot the root of the file system that has the driver's library: {@code /}, or where
 *     the host's root or a driver container's is mounted
 * @param sysfs {@code /sys}
 * @param procfs {@code /proc}
 */
public record NvmlPlaces(Optional<Path> library, Path driverRoot, Path sysfs, Path procfs) {

  /** The driver in this process's own root. */
  public static NvmlPlaces ofHost() {
    return new NvmlPlaces(Optional.empty(), Path.of("/"), Path.of("/sys"), Path.of("/proc"));
  }
}
