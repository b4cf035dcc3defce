package io.gpumem.plugin.kubelet.fake;

import java.util.Set;

/** Where the choice of a container's devices stands. */
sealed interface Selection {

  /** Nothing to allocate: recorded before, or accepted without a look, or zero asked for. */
  record Nothing() implements Selection {}

  /** The pod fails with this text. */
  record Refused(String text) implements Selection {}

  /** These devices are booked and wait for the plugin's Allocate. */
  record Complete(Set<String> ids) implements Selection {
    public Complete {
      ids = Set.copyOf(ids);
    }
  }

  /**
   * The plugin may be asked for its preference.
   *
   * @param taken devices of the pod's own init containers, booked already: must be included
   * @param available free and healthy devices at the time of asking; it may be stale at the end
   */
  record Undecided(Need need, Set<String> taken, Set<String> available) implements Selection {
    public Undecided {
      taken = Set.copyOf(taken);
      available = Set.copyOf(available);
    }
  }
}
