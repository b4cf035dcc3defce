package io.gpumem.extender.verdict;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Wish;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import java.util.Optional;

/** A pod that looks for a place, with its user's wish read and the default policy filled in. */
record Applicant(PodFacts pod, DeviceChoice choice, Policy policy) {

  /** Empty when the pod's wish can't be understood: what was meant is not guessed at. */
  static Optional<Applicant> of(PodFacts pod, Policy standard) {
    if (pod.wish() instanceof Decoded.Malformed<Wish>) {
      return Optional.empty();
    }
    Wish wish = pod.wish().understood().orElse(Wish.NONE);
    return Optional.of(new Applicant(pod, wish.choice(), wish.policy().orElse(standard)));
  }

  PodUid uid() {
    return pod.uid();
  }

  boolean isNominatedFor(NodeName node) {
    return pod.nominated().isPresent() && pod.nominated().get().equals(node);
  }
}
