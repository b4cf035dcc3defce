package io.gpumem.extender.verdict;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.placement.Refusal;
import io.gpumem.extender.view.NodeView;
import java.util.stream.Collectors;

/**
 * What would make a pod fit on a node that refuses it: a sentence for a person, with numbers. It
 * never goes to the scheduler.
 */
record Remedy(Applicant applicant, NodeView node, long largestFree, long largest, long free) {

  String text(Refusal why) {
    int wanted = applicant.choice().devices();
    return switch (why) {
      case UNKNOWN_NODE -> "start the gpu-mem plugin on this node";
      case BAD_ANNOTATION -> "correct the pod's gpu-mem annotations and create it anew";
      case NO_SUCH_MODEL ->
          "this node has %s; the pod wants %s"
              .formatted(models(), String.join(", ", applicant.choice().models()));
      case INDIVISIBLE ->
          "ask for a multiple of %d units in each container, or for fewer GPUs".formatted(wanted);
      case INIT_ON_SEVERAL -> "take the request from the init container, or ask for one GPU";
      case TOO_FEW_DEVICES ->
          "ask for fewer GPUs than %d: this node has %d that the pod accepts"
              .formatted(wanted, accepted());
      case TOO_LARGE ->
          "ask for at most %d units on one GPU; the pod asks for %d".formatted(largest, piece());
      case CLOSED ->
          "mend or uncordon a GPU that the pod accepts; each one's state is listed above";
      case TOO_LITTLE ->
          "%d units are free here and the pod needs %d: %d more must become free"
              .formatted(free, footprint(), footprint() - free);
      case FRAGMENTED -> fragmented();
      case UNLIKE -> "wait until these have started: " + outstanding();
    };
  }

  private String fragmented() {
    long piece = piece();
    return piece > largestFree
        ? "the largest free piece is %d units and the pod needs %d in one: %d more must become free on that GPU"
            .formatted(largestFree, piece, piece - largestFree)
        : "the pod's %d units are free, but its containers don't fit beside each other in what is free on each GPU"
            .formatted(footprint());
  }

  private long footprint() {
    return applicant.pod().demand().footprint();
  }

  /** The largest piece that must be on one device. */
  private long piece() {
    long whole =
        applicant.pod().demand().hasOrdinaryInit()
            ? footprint()
            : applicant.pod().demand().containers().stream()
                .mapToLong(ContainerDemand::units)
                .max()
                .orElse(0);
    return whole / applicant.choice().devices();
  }

  private long accepted() {
    return node.facts().inventory().devices().stream().filter(applicant.choice()::accepts).count();
  }

  private String models() {
    return node.facts().inventory().devices().stream()
        .map(Device::model)
        .distinct()
        .sorted()
        .collect(Collectors.joining(", "));
  }

  private String outstanding() {
    var sizes =
        applicant.pod().demand().containers().stream()
            .map(ContainerDemand::units)
            .collect(Collectors.toSet());
    String pods =
        node.books().outstanding().stream()
            .filter(each -> sizes.contains(each.likeness().units()))
            .filter(each -> !each.pod().equals(applicant.uid()))
            .map(Outstanding::name)
            .distinct()
            .sorted()
            .map(Object::toString)
            .collect(Collectors.joining(", "));
    return pods.isEmpty() ? "another pod has its turn here for a moment" : pods;
  }
}
