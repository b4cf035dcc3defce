package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A plugin that can die in the midst of a call, as the kubelet meets it.
 *
 * @param guard runs a call; empty when the plugin is dead, or died meanwhile
 * @param told told what was asked and answered, in one line each
 */
public record GuardedEndpoint(PluginEndpoint plugin, Guard guard, Consumer<String> told)
    implements PluginEndpoint {

  /** Runs a call of the plugin, if it lives. */
  public interface Guard {
    <T> Optional<T> run(Supplier<T> call);
  }

  @Override
  public PluginAnswer<PreferredAllocationResponse> getPreferredAllocation(
      PreferredAllocationRequest request) {
    var answer = guard.run(() -> plugin.getPreferredAllocation(request)).orElseGet(() -> dead());
    if (answer instanceof PluginAnswer.Given<PreferredAllocationResponse>(var given)) {
      told.accept("prefers " + brief(given.getContainerResponses(0).getDeviceIDsList()));
    }
    return answer;
  }

  @Override
  public PluginAnswer<AllocateResponse> allocate(AllocateRequest request) {
    told.accept("is asked for " + brief(request.getContainerRequests(0).getDevicesIdsList()));
    return guard.run(() -> plugin.allocate(request)).orElseGet(() -> dead());
  }

  private static <T> PluginAnswer<T> dead() {
    return PluginAnswer.refused("Unavailable", "error reading from server: EOF");
  }

  /** The last digits of the device and the number: a world has few devices. */
  private static List<String> brief(List<String> ids) {
    return ids.stream()
        .map(id -> id.substring(Math.max(0, id.indexOf("::") - 2)))
        .sorted()
        .toList();
  }
}
