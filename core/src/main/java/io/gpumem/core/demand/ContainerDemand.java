package io.gpumem.core.demand;

/** What one container of a pod asks, in units; containers that ask nothing have no such value. */
public record ContainerDemand(String container, Phase phase, long units) {

  public ContainerDemand {
    if (units <= 0) {
      throw new IllegalArgumentException(
          "expected a demand above zero for " + container + " but was " + units);
    }
  }
}
