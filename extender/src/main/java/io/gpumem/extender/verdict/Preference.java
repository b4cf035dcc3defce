package io.gpumem.extender.verdict;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.placement.Verdict;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.Units;
import io.gpumem.extender.view.NodeView;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How good a node is for a pod.
 *
 * @param leftover units that stay free on the fullest device that the pod would use
 * @param free units that are free on the whole node before
 */
record Preference(NodeName node, long leftover, long free) {

  private static final Comparator<Preference> TIGHTEST =
      Comparator.comparingLong(Preference::leftover).thenComparingLong(Preference::free);

  /** Empty when the pod does not fit. */
  static Optional<Preference> of(NodeView node, Applicant applicant, Policy standard) {
    OptionalLong piece = applicant.plainPiece();
    return piece.isPresent() && Trial.isPlain(node, applicant)
        ? plain(node, piece.getAsLong(), applicant.policy())
        : searched(node, applicant, standard);
  }

  private static Optional<Preference> plain(NodeView node, long piece, Policy policy) {
    OptionalLong device =
        policy == Policy.BINPACK ? node.room().tightest(piece) : node.room().widest(piece);
    return device.isEmpty()
        ? Optional.empty()
        : Optional.of(new Preference(node.name(), device.getAsLong() - piece, node.room().total()));
  }

  /** By the search through placements, for pods that are not as plain. */
  static Optional<Preference> searched(NodeView node, Applicant applicant, Policy standard) {
    NodeLedger ledger = Trial.ledgerFor(node, applicant, standard);
    if (!(Trial.place(applicant, ledger) instanceof Verdict.Fits fits)) {
      return Optional.empty();
    }
    long free = 0;
    for (Device device : ledger.inventory().devices()) {
      free = Units.sum(free, ledger.free(device));
    }
    return Optional.of(new Preference(node.name(), fits.leftover(), free));
  }

  /** The best first: packed tightly on the fuller node, or the reverse. */
  static Comparator<Preference> order(Policy policy) {
    return policy == Policy.BINPACK ? TIGHTEST : TIGHTEST.reversed();
  }
}
