package io.gpumem.extender.verdict;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.placement.Placement;
import io.gpumem.core.placement.Refusal;
import io.gpumem.core.placement.Verdict;
import io.gpumem.core.reservation.Likeness;
import io.gpumem.extender.view.NodeView;
import io.gpumem.extender.view.Precedence;
import io.gpumem.extender.view.Room;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One pod tried on one node: the rule that filter, bind and explain share. Pure.
 *
 * <p>The pod itself counts nowhere, so that a Binding whose fate is unknown does not stand in its
 * own way. Pods that are ahead of it and have this node held for them are placed first. What then
 * fits may still be refused: Allocate carries no pod identity, so two requests of one size but of
 * unlike choice must not both wait for it on one node.
 */
final class Trial {

  private Trial() {}

  /** Why the pod may not go onto the node; empty when it may. The quick form of {@link #on}. */
  static Optional<Refusal> refusal(
      NodeView node, Applicant applicant, Closures closures, Policy standard) {
    OptionalLong piece = applicant.plainPiece();
    if (piece.isEmpty() || !isPlain(node, applicant)) {
      return switch (on(node, applicant, closures, standard)) {
        case Verdict.Refused(Refusal why) -> Optional.of(why);
        case Verdict.Fits fits -> Optional.empty();
      };
    }
    if (node.room().takes(piece.getAsLong())) {
      return isConfusing(node, applicant, closures)
          ? Optional.of(Refusal.UNLIKE)
          : Optional.empty();
    }
    return Optional.of(plainRefusal(node.room(), piece.getAsLong()));
  }

  private static Refusal plainRefusal(Room room, long piece) {
    if (room.largestDevice().isEmpty()) {
      return Refusal.TOO_LITTLE;
    }
    if (piece > room.largestDevice().getAsLong()) {
      return Refusal.TOO_LARGE;
    }
    if (piece > room.largestOpen()) {
      return Refusal.CLOSED;
    }
    return room.openSum() < piece ? Refusal.TOO_LITTLE : Refusal.FRAGMENTED;
  }

  /** Whether the node's own books are what this pod is to see. */
  static boolean isPlain(NodeView node, Applicant applicant) {
    return node.nominees().isEmpty()
        && (applicant.isNowhere() || node.ledger().holding(applicant.holder()).isEmpty());
  }

  /** Whether the pod may go onto the node, and where to. */
  static Verdict on(NodeView node, Applicant applicant, Closures closures, Policy standard) {
    Verdict verdict = place(applicant, ledgerFor(node, applicant, standard));
    return switch (verdict) {
      case Verdict.Refused refused -> refused;
      case Verdict.Fits fits when isConfusing(node, applicant, closures) ->
          Verdict.refused(Refusal.UNLIKE);
      case Verdict.Fits fits -> fits;
    };
  }

  static Verdict place(Applicant applicant, NodeLedger ledger) {
    return Placement.place(
        applicant.pod().demand(), applicant.choice(), applicant.policy(), ledger);
  }

  /** The books as this pod is to see them: without itself, and with who is ahead of it. */
  static NodeLedger ledgerFor(NodeView node, Applicant applicant, Policy standard) {
    NodeLedger ledger = node.ledger();
    if (!node.nominees().isEmpty()) {
      ledger = withNominees(node, applicant, standard);
    }
    boolean counts = !applicant.isNowhere() && ledger.holding(applicant.holder()).isPresent();
    return counts ? ledger.without(applicant.holder()) : ledger;
  }

  /** Each nominee counts as it will once it is bound, by the same rule as any bound pod. */
  private static NodeLedger withNominees(NodeView node, Applicant applicant, Policy standard) {
    List<PodFacts> pods = new ArrayList<>(node.pods());
    NodeLedger ledger = node.ledger();
    for (PodFacts nominee : node.nominees()) {
      if (!Precedence.isAhead(nominee, applicant.pod())) {
        break;
      }
      Optional<Applicant> ahead = Applicant.of(nominee, standard);
      if (ahead.isPresent() && place(ahead.get(), ledger) instanceof Verdict.Fits fits) {
        pods.add(nominee.boundTo(node.name(), plan(node, ahead.get(), fits)));
        ledger = NodeBooks.of(node.facts(), pods).ledger();
      }
    }
    return ledger;
  }

  /** The plan that follows from a verdict; the choice is frozen in it. */
  static Reservation plan(NodeView node, Applicant applicant, Verdict.Fits fits) {
    return new Reservation(applicant.uid(), node.name(), applicant.choice(), fits.containers());
  }

  /** A node that is not ready will not call Allocate, so that nothing can be confused there. */
  private static boolean isConfusing(NodeView node, Applicant applicant, Closures closures) {
    if (!node.facts().ready()) {
      return false;
    }
    for (ContainerDemand container : applicant.pod().demand().containers()) {
      if (closures.closes(node.name(), container.units(), applicant.uid())
          || isConfused(node, applicant, container)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isConfused(NodeView node, Applicant applicant, ContainerDemand container) {
    for (Outstanding other : node.books().outstanding()) {
      boolean sameSize = other.likeness().units() == container.units();
      if (sameSize && !other.pod().equals(applicant.uid())) {
        Likeness mine =
            Likeness.of(applicant.pod(), container, applicant.choice(), node.facts().inventory());
        if (other.likeness().isConfusedWith(mine)) {
          return true;
        }
      }
    }
    return false;
  }
}
