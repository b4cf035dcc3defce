package io.gpumem.plugin.kubelet.fake;

import static io.gpumem.plugin.kubelet.fake.Rig.RESOURCE;
import static io.gpumem.plugin.kubelet.fake.Rig.devices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationResponse;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Laws of the accounting with a plugin in the same process; the seed is in the test's name. */
class KubeletCoreProperties {
  private static final int DEVICES = 40;
  private static final int STEPS = 300;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 20);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void sellsNoDeviceTwiceWhileCallsComeOneByOne(long seed) {
    Random random = new Random(seed);
    KubeletCore core = KubeletCore.fresh(Release.V1_36, seed);
    connect(core, random);
    List<KubeletPod> live = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      if (live.isEmpty() || random.nextInt(5) < 3) {
        KubeletPod pod = pod("p" + step, random);
        core.bind(pod);
        if (core.run(pod).filter(KubeletEvent.PodRunning.class::isInstance).isPresent()) {
          live.add(pod);
        }
      } else {
        end(core, live.remove(random.nextInt(live.size())).uid(), random);
      }
      if (random.nextInt(4) == 0) {
        assertEquals(live.size(), core.list().getPodResourcesCount());
      }
      check(core, live, "seed " + seed + ", step " + step);
    }
  }

  /** Each container of a live pod has its units, and no two pods share one. */
  private static void check(KubeletCore core, List<KubeletPod> live, String where) {
    Map<String, String> owners = new HashMap<>();
    for (KubeletPod pod : live) {
      Set<String> mine = new HashSet<>();
      for (KubeletContainer container : pod.containers()) {
        Set<String> ids = held(core, pod, container);
        assertEquals(container.requests().get(RESOURCE), ids.size(), where);
        assertTrue(core.booked(RESOURCE).containsAll(ids), where);
        for (String id : ids) {
          String other = owners.putIfAbsent(id, pod.uid());
          assertTrue(other == null || other.equals(pod.uid()), where + ": " + id + " sold twice");
          assertTrue(
              container.kind() == KubeletContainer.Kind.INIT || mine.add(id),
              where + ": two containers of " + pod.uid() + " share " + id);
        }
      }
    }
  }

  private static Set<String> held(KubeletCore core, KubeletPod pod, KubeletContainer container) {
    return core.table()
        .getOrDefault(pod.uid(), new TreeMap<>())
        .getOrDefault(container.name(), new TreeSet<>());
  }

  private static KubeletPod pod(String uid, Random random) {
    List<KubeletContainer> containers = new ArrayList<>();
    if (random.nextInt(3) == 0) {
      containers.add(KubeletContainer.init("init", RESOURCE, 1 + random.nextInt(8)));
    }
    if (random.nextInt(4) == 0) {
      containers.add(KubeletContainer.sidecar("side", RESOURCE, 1 + random.nextInt(3)));
    }
    for (int app = 0; app <= random.nextInt(2); app++) {
      containers.add(KubeletContainer.app("app" + app, RESOURCE, 1 + random.nextInt(8)));
    }
    return new KubeletPod(uid, "team", uid, Instant.EPOCH, containers);
  }

  private static void end(KubeletCore core, String uid, Random random) {
    switch (random.nextInt(3)) {
      case 0 -> core.finish(uid);
      case 1 -> core.forceDelete(uid);
      default -> {
        core.terminate(uid);
        core.stopped(uid);
      }
    }
  }

  /** A plugin that prefers at random, now and then too few, and refuses one Allocate in ten. */
  private static void connect(KubeletCore core, Random random) {
    PluginEndpoint plugin =
        new PluginEndpoint() {
          @Override
          public PluginAnswer<PreferredAllocationResponse> getPreferredAllocation(
              PreferredAllocationRequest request) {
            var container = request.getContainerRequests(0);
            int size = random.nextInt(container.getAllocationSize() + 1);
            return PluginAnswer.given(
                PreferredAllocationResponse.newBuilder()
                    .addContainerResponses(
                        ContainerPreferredAllocationResponse.newBuilder()
                            .addAllDeviceIDs(
                                container.getAvailableDeviceIDsList().subList(0, size)))
                    .build());
          }

          @Override
          public PluginAnswer<AllocateResponse> allocate(AllocateRequest request) {
            return random.nextInt(10) == 0
                ? PluginAnswer.refused("FailedPrecondition", "not this time")
                : PluginAnswer.given(
                    AllocateResponse.newBuilder()
                        .addContainerResponses(ContainerAllocateResponse.getDefaultInstance())
                        .build());
          }
        };
    core.connect(
        RESOURCE,
        "",
        plugin,
        DevicePluginOptions.newBuilder().setGetPreferredAllocationAvailable(true).build());
    core.replaceDevices(RESOURCE, devices(DEVICES));
  }
}
