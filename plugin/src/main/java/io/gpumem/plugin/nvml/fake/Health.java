package io.gpumem.plugin.nvml.fake;

/** How a simulated GPU or MIG device is. */
public sealed interface Health {

  record Working() implements Health {}

  /** It answers, and the driver says that something has to be done to it. */
  record Broken(String why) implements Health {}

  /** It is listed and no longer answers. GPUs only: a MIG device is lost with its GPU. */
  record Lost(String why) implements Health {}

  /** It is not listed: a GPU taken off the bus, a MIG device that was unmade. */
  record Removed() implements Health {}
}
