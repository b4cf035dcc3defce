package io.gpumem.plugin.nvml;

import java.util.Comparator;
import java.util.List;

/** What one look at the node's GPUs came to. The texts are single lines for a log. */
public sealed interface Scan {

  /**
   * The GPUs were read; the list may be empty.
   *
   * @param devices what memory can be sold of, broken devices included, in order of index
   * @param leftOut what the machine has but {@code devices} lacks, and why
   * @param driverVersion such as {@code 580.159.04}, or {@code unknown}
   */
  record Seen(List<GpuFacts> devices, List<LeftOut> leftOut, String driverVersion) implements Scan {
    public Seen {
      devices = devices.stream().sorted(Comparator.comparingInt(GpuFacts::index)).toList();
      leftOut = List.copyOf(leftOut);
    }
  }

  /**
   * The kernel module is not loaded or the driver's library is not there, as while a node boots or
   * a driver container starts. Look again later.
   */
  record DriverNotLoaded(String why) implements Scan {}

  /**
   * The kernel module is of another version than the library that this process has mapped. No later
   * scan can succeed: the process has to end, with an exit code of its own, and its container to be
   * made anew.
   */
  record VersionMismatch(String why) implements Scan {}

  /**
   * Nothing could be read this time.
   *
   * @param code the number that NVML gave, or the one that says it best when NVML was not reached
   */
  record Failed(int code, String text) implements Scan {}
}
