package io.gpumem.extender.verdict;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Wish;
import io.gpumem.core.ledger.Holding;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import io.gpumem.extender.view.ClusterSnapshot;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A pod that looks for a place, with its user's wish read and the default policy filled in.
 *
 * @param holder its name in a ledger
 * @param isNowhere whether it is known to count on no node; if not, each has to be looked at
 */
record Applicant(
    PodFacts pod, DeviceChoice choice, Policy policy, String holder, boolean isNowhere) {

  Applicant(PodFacts pod, DeviceChoice choice, Policy policy) {
    this(pod, choice, policy, holder(pod), false);
  }

  /** As {@link #of(PodFacts, Policy)}, with what the snapshot knows of the pod's own place. */
  static Optional<Applicant> of(ClusterSnapshot snapshot, PodFacts pod, Policy standard) {
    boolean waits = snapshot.waiting(pod.uid()).isPresent();
    boolean isNowhere = waits && snapshot.assumptions(pod.uid()).isEmpty();
    return of(pod, standard)
        .map(each -> new Applicant(pod, each.choice, each.policy, each.holder, isNowhere));
  }

  private static String holder(PodFacts pod) {
    return new Holding(Optional.of(pod.uid()), pod.name(), Map.of(), Map.of(), Map.of(), 0)
        .holder();
  }

  /** Empty when the pod's wish can't be understood: what was meant is not guessed at. */
  static Optional<Applicant> of(PodFacts pod, Policy standard) {
    if (pod.wish() instanceof Decoded.Malformed<Wish>) {
      return Optional.empty();
    }
    Wish wish = pod.wish().understood().orElse(Wish.NONE);
    return Optional.of(new Applicant(pod, wish.choice(), wish.policy().orElse(standard)));
  }

  /**
   * The units of the one piece that the pod needs on one device, whichever it is; empty when it is
   * not as plain as that.
   */
  OptionalLong plainPiece() {
    boolean onePiece = pod.demand().hasOrdinaryInit() || pod.demand().containers().size() == 1;
    return onePiece && choice.equals(DeviceChoice.ANY)
        ? OptionalLong.of(pod.demand().footprint())
        : OptionalLong.empty();
  }

  PodUid uid() {
    return pod.uid();
  }

  boolean isNominatedFor(NodeName node) {
    return pod.nominated().isPresent() && pod.nominated().get().equals(node);
  }
}
