package io.gpumem.platform.cluster;

/**
 * A line for {@code kubectl describe}.
 *
 * @param reason one CamelCase word of a fixed set
 * @param message one sentence; what is beyond the API's limit of 1024 characters is cut
 */
public record EventNote(Subject subject, Severity severity, String reason, String message) {

  /** The two types of event that the API knows. */
  public enum Severity {
    NORMAL("Normal"),
    WARNING("Warning");

    private final String type;

    Severity(String type) {
      this.type = type;
    }

    String type() {
      return type;
    }
  }

  /** What the event is about. */
  public sealed interface Subject {}

  /** A pod; the event lies in its namespace. */
  public record OnPod(PodRef pod) implements Subject {}

  /**
   * A node. The event carries the node's name as UID, as the kubelet's own do: that is what {@code
   * kubectl describe node} looks for.
   */
  public record OnNode(String name) implements Subject {}
}
