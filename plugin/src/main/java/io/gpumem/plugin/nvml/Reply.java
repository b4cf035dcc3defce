package io.gpumem.plugin.nvml;

import java.util.Optional;

/** What one NVML call gave: a value, or the code that says why not. */
sealed interface Reply<T> {

  record Value<T>(T value) implements Reply<T> {}

  record Refusal<T>(NvmlCode code) implements Reply<T> {}

  /** The value, where the reason for having none does not matter. */
  default Optional<T> known() {
    return switch (this) {
      case Value<T>(var value) -> Optional.of(value);
      case Refusal<T> _ -> Optional.empty();
    };
  }
}
