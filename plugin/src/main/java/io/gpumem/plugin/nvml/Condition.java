package io.gpumem.plugin.nvml;

/** Whether a device can be used, as far as one scan can tell. */
public sealed interface Condition {

  Condition WORKING = new Working();

  /** Nothing is known against it. */
  record Working() implements Condition {}

  /** Lost, in need of a reset, unreadable; the text says which, in one line. */
  record Broken(String why) implements Condition {}
}
