package io.gpumem.extender.view;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;

/**
 * A pod that counts on a node although no watch has shown it there yet: a Binding of ours is on its
 * way, or its fate is not known.
 *
 * @param bound the pod as it is once the API server has taken the Binding; its node is set
 * @param attempt which call of bind this is from; a later call for the same pod and node takes over
 * @param isRepeat whether an earlier call has sent the same plan and its fate was not known: that
 *     Binding may yet be made, whatever becomes of this one
 * @param sinceNanos when it came into this state, on the clock of {@code Time.monotonicNanos}
 */
public record Assumption(
    PodFacts bound, long attempt, boolean isRepeat, State state, long sinceNanos) {

  /** What is known of the Binding. */
  public enum State {
    /** The request is on its way. */
    IN_FLIGHT,
    /** The API server has taken it; the watch will show it. */
    CERTAIN,
    /** No answer, or one that says nothing: the pod may be bound. */
    DOUBTFUL
  }

  public Assumption {
    if (bound.node().isEmpty()) {
      throw new IllegalArgumentException("expected a bound pod but was " + bound.name());
    }
  }

  public PodUid uid() {
    return bound.uid();
  }

  public NodeName node() {
    return bound.node().orElseThrow();
  }

  Assumption in(State changed, long nowNanos) {
    return new Assumption(bound, attempt, isRepeat, changed, nowNanos);
  }

  Assumption asRepeat() {
    return new Assumption(bound, attempt, true, state, sinceNanos);
  }
}
