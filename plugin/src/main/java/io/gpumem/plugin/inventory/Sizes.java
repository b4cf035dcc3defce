package io.gpumem.plugin.inventory;

import io.gpumem.core.units.Memory;
import io.gpumem.plugin.nvml.GpuFacts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Sizes that the admin set by hand, by UUID or display index: for a GPU that shares the host's
 * memory, NVML cannot tell a size, and nobody may guess one.
 */
public record Sizes(Map<String, Memory> byName) {

  public static final Sizes NONE = new Sizes(Map.of());

  public Sizes {
    byName = Map.copyOf(byName);
  }

  /** Reads {@code 1=120Gi} or {@code GPU-…=120Gi}; the problem as a sentence when it is neither. */
  public static Optional<String> problem(String entry) {
    int equals = entry.indexOf('=');
    boolean legal = equals > 0 && Memory.parse(entry.substring(equals + 1)).isPresent();
    return legal
        ? Optional.empty()
        : Optional.of("expected an index or UUID and a size such as 1=120Gi but was " + entry);
  }

  /** The sizes of entries without a problem. */
  public static Sizes of(List<String> entries) {
    Map<String, Memory> sizes = new LinkedHashMap<>();
    for (String entry : entries) {
      int equals = entry.indexOf('=');
      sizes.put(
          entry.substring(0, equals), Memory.parse(entry.substring(equals + 1)).orElseThrow());
    }
    return new Sizes(sizes);
  }

  /** What can be sold of a device; empty when nobody can tell. The admin's word wins. */
  Optional<Memory> usable(GpuFacts gpu) {
    return set(gpu).or(gpu::usable);
  }

  /** The device's whole memory; the admin's word wins. */
  Optional<Memory> total(GpuFacts gpu) {
    return set(gpu).or(gpu::total);
  }

  private Optional<Memory> set(GpuFacts gpu) {
    return Optional.ofNullable(byName.get(gpu.uuid().text()))
        .or(() -> Optional.ofNullable(byName.get(Integer.toString(gpu.index()))));
  }
}
