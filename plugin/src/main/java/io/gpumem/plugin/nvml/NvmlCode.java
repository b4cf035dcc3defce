package io.gpumem.plugin.nvml;

import java.util.Map;

/**
 * A number that an NVML function returned. Only 0 is success: new codes get added, and a number
 * that is not in the table here is an error of unknown meaning, never success.
 *
 * <p>Numbers and texts are those of NVML's API version 13, as driver 580 prints them.
 */
record NvmlCode(int number) {

  /** What a code asks of the caller. */
  enum Meaning {
    SUCCESS,
    /** The driver or this library's version of the call lacks the feature: go on without. */
    ABSENT,
    /** This process may not; the device cgroup, the node's mode or a missing capability. */
    FORBIDDEN,
    /** There is no such thing, or not any more. */
    GONE,
    /** The GPU is bad until something is done to it. */
    DEVICE_BAD,
    DRIVER_NOT_LOADED,
    VERSION_MISMATCH,
    /** Anything else, codes of the future included. */
    ERROR
  }

  private record Entry(Meaning meaning, String text) {}

  static final NvmlCode SUCCESS = new NvmlCode(0);
  static final NvmlCode UNINITIALIZED = new NvmlCode(1);
  static final NvmlCode TIMEOUT = new NvmlCode(10);
  static final NvmlCode LIBRARY_NOT_FOUND = new NvmlCode(12);
  static final NvmlCode FUNCTION_NOT_FOUND = new NvmlCode(13);
  static final NvmlCode UNKNOWN = new NvmlCode(999);

  private static final Map<Integer, Entry> TABLE =
      Map.ofEntries(
          entry(0, Meaning.SUCCESS, "Success"),
          entry(1, Meaning.ERROR, "Uninitialized"),
          entry(2, Meaning.GONE, "Invalid Argument"),
          entry(3, Meaning.ABSENT, "Not Supported"),
          entry(4, Meaning.FORBIDDEN, "Insufficient Permissions"),
          entry(6, Meaning.GONE, "Not Found"),
          entry(7, Meaning.ERROR, "Insufficient Size"),
          entry(8, Meaning.DEVICE_BAD, "Insufficient External Power"),
          entry(9, Meaning.DRIVER_NOT_LOADED, "Driver Not Loaded"),
          entry(10, Meaning.ERROR, "Timeout"),
          entry(11, Meaning.DEVICE_BAD, "Interrupt Request Issue"),
          entry(12, Meaning.ABSENT, "NVML Shared Library Not Found"),
          entry(13, Meaning.ABSENT, "Function Not Found"),
          entry(14, Meaning.DEVICE_BAD, "Corrupted infoROM"),
          entry(15, Meaning.DEVICE_BAD, "GPU is lost"),
          entry(16, Meaning.DEVICE_BAD, "GPU requires reset"),
          entry(17, Meaning.FORBIDDEN, "GPU access blocked by the operating system"),
          entry(18, Meaning.VERSION_MISMATCH, "Driver/library version mismatch"),
          entry(19, Meaning.ERROR, "In use by another client"),
          entry(20, Meaning.ERROR, "Insufficient Memory"),
          entry(21, Meaning.ERROR, "No data"),
          entry(23, Meaning.ERROR, "Insufficient Resources"),
          entry(25, Meaning.ABSENT, "Argument version mismatch"),
          entry(26, Meaning.ABSENT, "Requested functionality has been deprecated"),
          entry(27, Meaning.ERROR, "System is not in ready state"),
          entry(28, Meaning.ERROR, "No supported GPUs were found"),
          entry(999, Meaning.ERROR, "Unknown Error"));

  private static final Entry OTHER = new Entry(Meaning.ERROR, "Unknown Error");

  boolean isSuccess() {
    return number == 0;
  }

  Meaning meaning() {
    return TABLE.getOrDefault(number, OTHER).meaning();
  }

  /** One line with the number in it, for a code that has no text is told by its number alone. */
  String text() {
    return TABLE.getOrDefault(number, OTHER).text() + " (NVML " + number + ")";
  }

  private static Map.Entry<Integer, Entry> entry(int number, Meaning meaning, String text) {
    return Map.entry(number, new Entry(meaning, text));
  }
}
