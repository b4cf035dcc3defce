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
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    DevicePluginService service =
        new DevicePluginService(
            scratch, views, new ListStreams(ListAndWatchResponse.getDefaultInstance(), () -> {}));
    Heard<PreferredAllocationResponse> preferred = new Heard<>();
    service.getPreferredAllocation(parsed(call), preferred);
    ContainerAllocateRequest.Builder container = ContainerAllocateRequest.newBuilder();
    preferred.values.forEach(
        answer -> container.addAllDevicesIds(answer.getContainerResponses(0).getDeviceIDsList()));
    service.allocate(
        AllocateRequest.newBuilder().addContainerRequests(container).build(),
        new Heard<AllocateResponse>());
  }

  private static PreferredAllocationRequest parsed(ByteString call) {
    try {
      return PreferredAllocationRequest.parseFrom(call);
    } catch (InvalidProtocolBufferException ours) {
      throw new IllegalStateException("expected a call that was just written", ours);
    }
  }

  /** Keeps what is answered; a refusal is an answer, too. */
  private static final class Heard<T> implements StreamObserver<T> {
    private final List<T> values = new ArrayList<>();

    @Override
    public void onNext(T value) {
      values.add(value);
    }

    @Override
    public void onError(Throwable refusal) {}

    @Override
    public void onCompleted() {}
  }
}
