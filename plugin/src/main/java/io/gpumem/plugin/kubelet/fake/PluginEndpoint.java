package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;

/**
 * The plugin as admission calls it. Each call blocks, without a deadline of its own, as in the
 * kubelet; it may be called from several threads at once. The real adapter talks to a socket, a
 * simulation puts the plugin's own code here.
 */
public interface PluginEndpoint {
  PluginAnswer<PreferredAllocationResponse> getPreferredAllocation(
      PreferredAllocationRequest request);

  PluginAnswer<AllocateResponse> allocate(AllocateRequest request);

  /** Called only when the plugin's options ask for it. */
  default PluginAnswer<PreStartContainerResponse> preStartContainer(
      PreStartContainerRequest request) {
    return PluginAnswer.given(PreStartContainerResponse.getDefaultInstance());
  }
}
