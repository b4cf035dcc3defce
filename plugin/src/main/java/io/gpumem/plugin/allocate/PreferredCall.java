package io.gpumem.plugin.allocate;

import java.util.List;
import java.util.Set;

/**
 * One container's part of a GetPreferredAllocation call, as the kubelet sends it.
 *
 * @param available the IDs to choose from, in random order; they contain {@code mustInclude}
 * @param mustInclude IDs that the pod already has from an ordinary init container
 * @param size how many IDs the answer must have, from 0
 */
public record PreferredCall(List<String> available, Set<String> mustInclude, int size) {
  public PreferredCall {
    if (size < 0) {
      throw new IllegalArgumentException("expected a size from 0 but was " + size);
    }
    available = List.copyOf(available);
    mustInclude = Set.copyOf(mustInclude);
  }
}
