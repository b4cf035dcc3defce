package io.gpumem.extender;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Wish;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * A small cluster by chance: honest, so that what is wrong later was brought by the test.
 *
 * @param bound pods with a node and a plan, some of them in the kubelet's table
 * @param waiting pods without a node
 */
public record Crowd(List<NodeFacts> nodes, List<PodFacts> bound, List<PodFacts> waiting) {

  private static final long[] UNITS = {4, 8, 16, 16, 139};
  private static final List<String> MODELS = List.of(Given.MODEL, Given.MODEL, "NVIDIA L4");

  public static Crowd of(Random chance) {
    return new Making(chance).crowd();
  }

  /** What is put together from one source of chance. */
  private static final class Making {

    private final Random chance;
    private int pods;

    Making(Random chance) {
      this.chance = chance;
    }

    private boolean oneIn(int times) {
      return chance.nextInt(times) == 0;
    }

    private String model() {
      return MODELS.get(chance.nextInt(MODELS.size()));
    }

    Crowd crowd() {
      List<NodeFacts> nodes = new ArrayList<>();
      List<PodFacts> bound = new ArrayList<>();
      int count = 2 + chance.nextInt(3);
      for (int i = 0; i < count; i++) {
        addNode("n" + i, nodes, bound);
      }
      List<PodFacts> waiting = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        PodFacts pod = pod();
        waiting.add(oneIn(4) ? Given.nominated(pod, "n" + chance.nextInt(count), i) : pod);
      }
      return new Crowd(nodes, bound, waiting);
    }

    private void addNode(String name, List<NodeFacts> nodes, List<PodFacts> bound) {
      List<Device> devices = new ArrayList<>();
      int count = 1 + chance.nextInt(4);
      for (int i = 0; i < count; i++) {
        Health health = oneIn(10) ? new Health.Unhealthy("XID 79") : Health.HEALTHY;
        long units = UNITS[chance.nextInt(UNITS.length)];
        devices.add(Given.device(name, i, model(), units, health));
      }
      NodeFacts node = Given.node(name, devices, Allocations.NONE);
      int pods = chance.nextInt(5);
      for (int i = 0; i < pods; i++) {
        int index = chance.nextInt(count);
        PodFacts pod = Given.bound(Given.withWish(pod(), Decoded.absent()), name, index);
        bound.add(pod);
        if (!pod.demand().hasOrdinaryInit() && oneIn(2)) {
          node = Given.allocated(node, Given.gpu(name, index), pod);
        }
      }
      nodes.add(oneIn(8) ? Given.notReady(node) : node);
    }

    private PodFacts pod() {
      List<ContainerDemand> containers = new ArrayList<>();
      if (oneIn(5)) {
        containers.add(new ContainerDemand("setup", Phase.INIT, units()));
      }
      if (oneIn(6)) {
        containers.add(new ContainerDemand("proxy", Phase.SIDECAR, 1));
      }
      containers.add(new ContainerDemand("main", Phase.APP, units()));
      if (oneIn(4)) {
        containers.add(new ContainerDemand("second", Phase.APP, units()));
      }
      PodFacts pod = Given.pod("p" + pods++, containers.toArray(ContainerDemand[]::new));
      return oneIn(3) ? Given.withWish(pod, Decoded.ok(wish())) : pod;
    }

    private long units() {
      return 1 + chance.nextInt(oneIn(10) ? 150 : 8);
    }

    private Wish wish() {
      Optional<Policy> policy =
          oneIn(2) ? Optional.of(oneIn(2) ? Policy.SPREAD : Policy.BINPACK) : Optional.empty();
      Set<String> models = oneIn(3) ? Set.of(model()) : Set.of();
      return new Wish(policy, new DeviceChoice(1 + chance.nextInt(2), models));
    }
  }
}
