package io.gpumem.plugin.kubelet;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.DeviceId;
import io.gpumem.platform.fuzz.fake.Mutator;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Calls of a kubelet that may be mad: mostly almost right, seldom absurd. */
final class DamagedCalls {

  private static final int[] SIZES = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 20};
  private static final int MANY = 2_000;

  private final TrueNode node;
  private final Random chance;
  private final Mutator mutator;

  DamagedCalls(TrueNode node, Random chance) {
    this.node = node;
    this.chance = chance;
    this.mutator = new Mutator(chance);
  }

  private boolean oneIn(int times) {
    return chance.nextInt(times) == 0;
  }

  private int containers() {
    return oneIn(6) ? chance.nextInt(4) : 1;
  }

  PreferredAllocationRequest preferred() {
    var request = PreferredAllocationRequest.newBuilder();
    int containers = containers();
    for (int i = 0; i < containers; i++) {
      List<String> available = new ArrayList<>(node.offered());
      Collections.shuffle(available, chance);
      int size = Math.max(1, Math.min(available.size(), size()));
      List<String> must = new ArrayList<>();
      if (oneIn(5) && !available.isEmpty()) {
        must.addAll(available.subList(0, 1 + chance.nextInt(Math.min(size, available.size()))));
      }
      request.addContainerRequests(
          ContainerPreferredAllocationRequest.newBuilder()
              .addAllAvailableDeviceIDs(oneIn(2) ? available : damaged(available))
              .addAllMustIncludeDeviceIDs(oneIn(6) ? damaged(must) : must)
              .setAllocationSize(oneIn(6) ? SIZES[chance.nextInt(SIZES.length)] : size));
    }
    return request.build();
  }

  /** A size that a pod waits for, or another. */
  private int size() {
    if (node.outstanding().isEmpty() || oneIn(3)) {
      return 1 + chance.nextInt(8);
    }
    PodFacts pod = node.outstanding().get(chance.nextInt(node.outstanding().size()));
    return (int) pod.demand().containers().stream().mapToLong(ContainerDemand::units).sum();
  }

  AllocateRequest allocate() {
    var request = AllocateRequest.newBuilder();
    int containers = containers();
    for (int i = 0; i < containers; i++) {
      List<String> free = new ArrayList<>(node.offered());
      String device = free.isEmpty() ? "" : free.get(chance.nextInt(free.size())).split("::")[0];
      List<String> one =
          new ArrayList<>(free.stream().filter(id -> id.startsWith(device)).toList());
      Collections.shuffle(one, chance);
      List<String> ids = one.subList(0, Math.min(one.size(), size()));
      request.addContainerRequests(
          ContainerAllocateRequest.newBuilder().addAllDevicesIds(oneIn(2) ? ids : damaged(ids)));
    }
    return request.build();
  }

  /** The IDs of an answer, as they are or not. */
  AllocateRequest allocate(List<String> ids) {
    return AllocateRequest.newBuilder()
        .addContainerRequests(
            ContainerAllocateRequest.newBuilder().addAllDevicesIds(oneIn(3) ? damaged(ids) : ids))
        .build();
  }

  private List<String> damaged(List<String> ids) {
    List<String> damaged = new ArrayList<>(ids);
    int wounds = 1 + chance.nextInt(2);
    for (int i = 0; i < wounds; i++) {
      int at = chance.nextInt(damaged.size() + 1);
      String any = any();
      switch (chance.nextInt(9)) {
        case 0 -> damaged.add(at, mutator.text(any));
        case 1 -> damaged.add(at, any);
        case 2 -> damaged.addAll(List.copyOf(damaged));
        case 3 -> damaged.subList(at, damaged.size()).clear();
        case 4 -> damaged.add(at, "GPU-x::" + mutator.number());
        case 5 -> damaged.add(at, any.split("::")[0] + "::" + mutator.number());
        case 6 -> node.held().forEach(id -> damaged.add(id.toString()));
        case 7 -> {
          if (oneIn(10)) {
            damaged.addAll(Collections.nCopies(MANY, any));
          }
        }
        default -> damaged.add(at, oneIn(2) ? "" : "\u0000::0");
      }
    }
    return damaged;
  }

  private String any() {
    List<DeviceId> all = List.copyOf(node.all());
    return all.get(chance.nextInt(all.size())).toString();
  }
}
