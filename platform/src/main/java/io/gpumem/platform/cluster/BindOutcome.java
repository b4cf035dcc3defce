package io.gpumem.platform.cluster;

import java.util.Map;

/** What became of a Binding. */
public sealed interface BindOutcome {

  /** The server said 201: the pod has its node and the annotations. */
  record Bound() implements BindOutcome {}

  /**
   * This very pod (same UID) has a node already, this one or another.
   *
   * @param node where it is
   * @param annotations all its annotations as read back; they replace what the caller assumed
   */
  record AlreadyBound(String node, Map<String, String> annotations) implements BindOutcome {
    public AlreadyBound {
      annotations = Map.copyOf(annotations);
    }
  }

  /** There is no such pod any more, or another one has its name. */
  record Gone(String why) implements BindOutcome {}

  /**
   * The server said no and wrote nothing: forbidden, invalid, being deleted, gated, too many
   * requests.
   */
  record Refused(int code, String message) implements BindOutcome {}

  /** No connection was made, so nothing was written. */
  record Unreached(String why) implements BindOutcome {}

  /**
   * The write may or may not have happened: no answer in time, the connection lost, or a 5xx (a
   * real server's "request timed out" can still be committed by etcd). A later read or the watch
   * tells.
   */
  record Unknown(String why) implements BindOutcome {}
}
