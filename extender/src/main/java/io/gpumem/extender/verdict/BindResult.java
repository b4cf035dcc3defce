package io.gpumem.extender.verdict;

import io.gpumem.core.facts.Reservation;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** How a bind ended. */
public sealed interface BindResult {

  /**
   * The pod is bound to that node, for certain.
   *
   * @param plan where it goes; empty when it asks nothing of ours, or has no plan that can be read
   */
  record Bound(Optional<Reservation> plan) implements BindResult {}

  /** It is not, as far as is known; the scheduler will try again. */
  record Failed(Failure why) implements BindResult {}

  /** Why not. Constant texts, for they end in the pod's condition and must not vary. */
  enum Failure {
    NO_ROOM("the place was taken meanwhile"),
    UNLIKE("a pod with the same request but another GPU choice is just starting there"),
    NO_PLUGIN("no gpu-mem plugin has reported from this node"),
    BAD_ANNOTATION("a gpu-mem annotation of the pod can't be understood"),
    BOUND_ELSEWHERE("the pod is bound to another node already"),
    POD_GONE("there is no such pod any more"),
    REFUSED("the API server refused the binding"),
    UNREACHED("the API server can't be reached"),
    UNKNOWN("the API server did not answer, the binding may have been made"),
    TOO_LATE("there was no time left for the binding");

    private final String text;

    Failure(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /** The label of a metric. */
  default String outcome() {
    return switch (this) {
      case Bound(var _) -> "bound";
      case Failed(Failure why) -> why.name().toLowerCase(Locale.ROOT);
    };
  }

  /** Every label that {@link #outcome} gives. */
  static String[] outcomes() {
    Stream<BindResult> failed = Arrays.stream(Failure.values()).map(BindResult::failed);
    return Stream.concat(Stream.of(new Bound(Optional.empty())), failed)
        .map(BindResult::outcome)
        .toArray(String[]::new);
  }

  static BindResult failed(Failure why) {
    return new Failed(why);
  }
}
