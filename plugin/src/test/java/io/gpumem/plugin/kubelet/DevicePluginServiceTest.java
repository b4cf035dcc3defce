package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.ContainerView;
import io.gpumem.plugin.allocate.HolderCheck;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DevicePluginServiceTest {

  private final TrueNode node = TrueNode.of(new Random(1));
  private final Allocator allocator =
      new Allocator(
          TrueNode.NAME,
          Allocator.Matching.ON,
          Duration.ZERO,
          () -> true,
          (pod, limit) -> new HolderCheck.Held.Gone(),
          System::nanoTime,
          event -> {});
  private final DevicePluginService service =
      new DevicePluginService(
          allocator,
          granted -> new ContainerView(Map.of(), List.of()),
          new ListStreams(DeviceList.of(node.inventory(), Set.of(), false), () -> {}));

  /** An error would leak bookings in the kubelet, so that even a mad size gets an answer. */
  @Test
  void answersAPreferredCallOfASizeBelowZeroWithNothing() {
    allocator.inventory(node.inventory());
    var answer = new OneAnswer<PreferredAllocationResponse>();
    service.getPreferredAllocation(
        PreferredAllocationRequest.newBuilder()
            .addContainerRequests(
                ContainerPreferredAllocationRequest.newBuilder()
                    .addAllAvailableDeviceIDs(node.offered())
                    .setAllocationSize(-1))
            .build(),
        answer);
    var containers = answer.given().orElseThrow().getContainerResponsesList();
    assertEquals(1, containers.size());
    assertEquals(List.of(), List.copyOf(containers.getFirst().getDeviceIDsList()));
  }
}
