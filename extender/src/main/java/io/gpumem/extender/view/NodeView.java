package io.gpumem.extender.view;

import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.units.NodeName;
import java.util.List;

/**
 * One node as the extender sees it. Immutable.
 *
 * @param pods who counts on the node, in the order of their appearance: those that the watch shows
 *     bound, and those that are assumed
 * @param nominees pods that wait with this node held for them, the first to be served first; those
 *     that are assumed anywhere are not among them
 * @param books what follows from facts and pods
 * @param room what the books leave
 */
public record NodeView(
    NodeFacts facts, List<PodFacts> pods, List<PodFacts> nominees, NodeBooks books, Room room) {

  public NodeView {
    pods = List.copyOf(pods);
    nominees = List.copyOf(nominees);
  }

  static NodeView of(NodeFacts facts, List<PodFacts> pods, List<PodFacts> nominees) {
    NodeBooks books = NodeBooks.of(facts, pods);
    return new NodeView(facts, pods, nominees, books, Room.of(books.ledger()));
  }

  public NodeName name() {
    return facts.name();
  }

  public NodeLedger ledger() {
    return books.ledger();
  }
}
