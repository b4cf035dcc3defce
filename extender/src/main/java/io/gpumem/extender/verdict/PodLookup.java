package io.gpumem.extender.verdict;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.PodUid;
import io.gpumem.extender.view.Assumption;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.extender.view.NodeView;
import io.gpumem.platform.cluster.Reading;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Finds the pod that a bind is about. The request names it only; its spec comes from our own watch,
 * or, when that has not shown it yet, from a consistent read.
 */
public final class PodLookup {

  /** What there is under the request's name and UID. */
  sealed interface Found {

    /** The pod has no node yet. */
    record Waiting(PodFacts pod) implements Found {}

    /** The pod has a node. */
    record Bound(PodFacts pod) implements Found {}

    /**
     * No pod that asks anything of ours has this name. The scheduler sends us pods with a request
     * of zero too, and the API server itself checks the name and the UID of a Binding.
     */
    record AsksNothing() implements Found {}

    /** Another pod has this name. */
    record Gone() implements Found {}

    /** Our watch does not know it, and the API server did not answer. */
    record Unread() implements Found {}
  }

  /** Reads one pod of ours as it is now, within the deadline; see {@code Cluster.readPod}. */
  @FunctionalInterface
  public interface PodSource {
    Reading<PodFacts> read(String namespace, String name, Duration deadline);
  }

  private final PodSource source;

  public PodLookup(PodSource source) {
    this.source = source;
  }

  /**
   * Looks the pod up.
   *
   * @param deadline for the read, if one is needed
   */
  Found find(ClusterSnapshot snapshot, BindRequest request, Duration deadline) {
    List<Assumption> assumptions = snapshot.assumptions(request.uid());
    Optional<PodFacts> known =
        assumptions.stream()
            .filter(each -> each.state() == Assumption.State.CERTAIN)
            .map(Assumption::bound)
            .findFirst();
    if (known.isEmpty() && assumptions.isEmpty()) {
      known = snapshot.node(request.node()).flatMap(node -> shownOn(node, request.uid()));
    }
    if (known.isPresent()) {
      return new Found.Bound(known.get());
    }
    return snapshot
        .waiting(request.uid())
        .<Found>map(Found.Waiting::new)
        .orElseGet(() -> read(request, deadline));
  }

  private static Optional<PodFacts> shownOn(NodeView node, PodUid uid) {
    return node.pods().stream().filter(pod -> pod.uid().equals(uid)).findFirst();
  }

  private Found read(BindRequest request, Duration deadline) {
    return switch (source.read(request.pod().namespace(), request.pod().name(), deadline)) {
      case Reading.Absent<PodFacts>() -> new Found.AsksNothing();
      case Reading.Unread<PodFacts>(var _) -> new Found.Unread();
      case Reading.Found<PodFacts>(PodFacts pod) -> {
        if (!pod.uid().equals(request.uid())) {
          yield new Found.Gone();
        }
        yield pod.node().isPresent() ? new Found.Bound(pod) : new Found.Waiting(pod);
      }
    };
  }
}
