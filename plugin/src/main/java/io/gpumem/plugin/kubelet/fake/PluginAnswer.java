package io.gpumem.plugin.kubelet.fake;

/**
 * What a call to a plugin came to.
 *
 * @param <T> the plugin's response
 */
public sealed interface PluginAnswer<T> {

  /** The plugin answered. */
  record Given<T>(T value) implements PluginAnswer<T> {}

  /**
   * The plugin refused, or could not be reached.
   *
   * @param code the gRPC code as Go spells it, such as {@code FailedPrecondition}; empty when no
   *     call was made
   * @param text the whole text that the kubelet passes on
   */
  record Refused<T>(String code, String text) implements PluginAnswer<T> {}

  static <T> PluginAnswer<T> given(T value) {
    return new Given<>(value);
  }

  /** A refusal in the words in which the kubelet's gRPC library prints a status. */
  static <T> PluginAnswer<T> refused(String code, String description) {
    return new Refused<>(code, "rpc error: code = " + code + " desc = " + description);
  }
}
