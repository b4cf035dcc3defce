package io.gpumem.plugin.kubelet;

import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;

/** Takes a whole list of device IDs, which replaces the one before. It must not block. */
@FunctionalInterface
public interface ListTaker {
  void take(ListAndWatchResponse list);
}
