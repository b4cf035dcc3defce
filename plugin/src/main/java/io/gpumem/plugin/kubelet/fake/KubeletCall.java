package io.gpumem.plugin.kubelet.fake;

import com.google.protobuf.Message;
import java.time.Duration;
import java.time.Instant;

/**
 * One call between kubelet and plugin, in either direction, after its answer.
 *
 * @param subject the resource for device plugin calls, the socket's name for pod resources
 * @param took how long the side that was called needed
 */
public record KubeletCall(
    Method method,
    String subject,
    Message request,
    PluginAnswer<? extends Message> answer,
    Instant startedAt,
    Duration took) {

  /** The calls that are recorded. */
  public enum Method {
    REGISTER,
    GET_DEVICE_PLUGIN_OPTIONS,
    GET_PREFERRED_ALLOCATION,
    ALLOCATE,
    PRE_START_CONTAINER,
    LIST,
    GET,
    GET_ALLOCATABLE_RESOURCES
  }
}
