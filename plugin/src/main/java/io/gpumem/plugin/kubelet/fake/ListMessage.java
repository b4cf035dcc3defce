package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import java.time.Instant;

/**
 * One ListAndWatch message as it arrived.
 *
 * @param bytes its size on the wire, of the 4 MiB that a kubelet accepts
 */
public record ListMessage(String resource, Instant at, int bytes, ListAndWatchResponse message) {

  /** How many devices it lists, healthy or not. */
  public int devices() {
    return message.getDevicesCount();
  }
}
