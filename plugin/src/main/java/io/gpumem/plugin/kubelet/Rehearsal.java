package io.gpumem.plugin.kubelet;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.ContainerView;
import io.gpumem.plugin.allocate.HolderCheck;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Plays the two allocation calls through before the kubelet makes the first. The kubelet admits no
 * other pod while it waits, and a JVM that loads these classes and interprets them at the first
 * call takes a fifth of a second for 5,000 device IDs. What is played is forgotten: it has an
 * allocator of its own, on devices like the node's.
 */
final class Rehearsal {

  /** A round as quick as this is what the kubelet is to meet. */
  private static final Duration QUICK = Duration.ofMillis(2);

  /** A slow machine is not helped by more: it is only kept from serving. */
  private static final Duration LIMIT = Duration.ofSeconds(1);

  private Rehearsal() {}

  /** Plays until a round is quick, for a limited time; how many rounds it took. */
  static int play(Inventory inventory, Function<Map<DeviceUuid, Long>, ContainerView> views) {
    ByteString call = call(inventory);
    long end = System.nanoTime() + LIMIT.toNanos();
    int rounds = 0;
    long begun;
    do {
      begun = System.nanoTime();
      round(inventory, views, call);
      rounds++;
    } while (System.nanoTime() - begun > QUICK.toNanos() && System.nanoTime() < end);
    return rounds;
  }

  /** A call that offers every unit of the node and asks for those of half a device. */
  private static ByteString call(Inventory inventory) {
    long size = Math.max(1, inventory.largestDevice().orElse(0) / 2);
    ContainerPreferredAllocationRequest.Builder container =
        ContainerPreferredAllocationRequest.newBuilder().setAllocationSize((int) size);
    DeviceList.of(inventory, Set.of(), false)
        .getDevicesList()
        .forEach(device -> container.addAvailableDeviceIDs(device.getID()));
    return PreferredAllocationRequest.newBuilder()
        .addContainerRequests(container)
        .build()
        .toByteString();
  }

  private static void round(
      Inventory inventory, Function<Map<DeviceUuid, Long>, ContainerView> views, ByteString call) {
    Allocator scratch =
        new Allocator(
            new NodeName("rehearsal"),
            Allocator.Matching.ON,
            Duration.ZERO,
            () -> true,
            (pod, limit) -> new HolderCheck.Held.Gone(),
            System::nanoTime,
            event -> {});
    scratch.inventory(inventory);
    AllocationCalls calls = new AllocationCalls(scratch, views);
    ContainerAllocateRequest.Builder container = ContainerAllocateRequest.newBuilder();
    calls
        .preferred(parsed(call))
        .getContainerResponsesList()
        .forEach(answer -> container.addAllDevicesIds(answer.getDeviceIDsList()));
    AllocationCalls.Allocated unused =
        calls.allocated(AllocateRequest.newBuilder().addContainerRequests(container).build());
  }

  private static PreferredAllocationRequest parsed(ByteString call) {
    try {
      return PreferredAllocationRequest.parseFrom(call);
    } catch (InvalidProtocolBufferException ours) {
      throw new IllegalStateException("expected a call that was just written", ours);
    }
  }
}
