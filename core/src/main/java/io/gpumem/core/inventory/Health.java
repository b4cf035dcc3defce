package io.gpumem.core.inventory;

/** Whether a device can be given to new pods. */
public sealed interface Health {

  Health HEALTHY = new Healthy();

  /** The device works as far as anybody knows. */
  record Healthy() implements Health {}

  /** The device takes no new pod; running pods stay. {@code why} is a short text for a person. */
  record Unhealthy(String why) implements Health {}

  default boolean isHealthy() {
    return this instanceof Healthy;
  }
}
