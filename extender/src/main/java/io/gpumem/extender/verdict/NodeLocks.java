package io.gpumem.extender.verdict;

import io.gpumem.core.units.NodeName;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock for each node, out of a fixed number: two nodes may share one, which costs a moment and
 * breaks nothing, since nobody holds two.
 */
final class NodeLocks {

  /** A scheduler has 16 binds in flight at most in practice; a power of two. */
  private static final int STRIPES = 64;

  private final Lock[] locks = new Lock[STRIPES];

  NodeLocks() {
    for (int i = 0; i < STRIPES; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  Lock of(NodeName node) {
    return locks[Math.floorMod(node.hashCode(), STRIPES)];
  }
}
