package io.gpumem.platform.options;

/** Where a value came from; the earlier wins over the later. */
public enum Source {
  FLAG,
  ENV,
  DEFAULT
}
