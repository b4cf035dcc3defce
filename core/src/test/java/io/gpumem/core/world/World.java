package io.gpumem.core.world;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.ledger.NodeBooks;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** A node and the pods that are bound to it. */
public record World(NodeFacts node, List<PodFacts> pods) {

  public World {
    pods = List.copyOf(pods);
  }

  public NodeBooks books() {
    return NodeBooks.of(node, pods);
  }

  public World with(Allocations allocations) {
    return new World(
        new NodeFacts(node.name(), node.inventory(), node.cordoned(), allocations, node.ready()),
        pods);
  }

  public World withPods(List<PodFacts> others) {
    return new World(node, others);
  }

  public World shuffled(Random random) {
    List<PodFacts> shuffled = new ArrayList<>(pods);
    Collections.shuffle(shuffled, random);
    return withPods(shuffled);
  }
}
