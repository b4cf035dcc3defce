package io.gpumem.extender.http.fake;

import io.gpumem.core.units.PodName;

/** What came of one try to schedule a pod. */
public sealed interface Attempt {

  PodName pod();

  /** It is bound. */
  record Bound(PodName pod, String node) implements Attempt {}

  /**
   * No node was found.
   *
   * @param message the text of the FailedScheduling event
   */
  record Unschedulable(PodName pod, String message) implements Attempt {}

  /** An error: of an extender, or of the API server. */
  record Failed(PodName pod, String why) implements Attempt {}
}
