package io.gpumem.demo.simulation;

import io.gpumem.demo.world.PodPlan;
import io.gpumem.plugin.kubelet.fake.KubeletContainer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The pods that a world's users want: most with one container, some with all that a spec allows.
 */
final class Pods {

  /** A pod of this name has containers that may spread over two devices. */
  static final String TWO_DEVICES = "-x2";

  private static final int LARGEST = 10;

  private Pods() {}

  /** A pod of any shape, under a name of its own. */
  static ObjectNode any(String name, Dice dice) {
    List<KubeletContainer> containers = new ArrayList<>();
    String fullName = name;
    int shape = dice.below(100);
    if (shape < 12) {
      containers.add(app("main", dice.between(1, 4)));
      containers.add(app("side", dice.between(1, 4)));
    } else if (shape < 22) {
      containers.add(KubeletContainer.init("init", resource(), dice.between(1, 6)));
      containers.add(app("main", dice.between(1, 6)));
    } else if (shape < 25) {
      containers.add(KubeletContainer.init("init", resource(), dice.between(1, 4)));
      containers.add(KubeletContainer.plain("main"));
    } else if (shape < 30) {
      containers.add(KubeletContainer.sidecar("proxy", resource(), dice.between(1, 3)));
      containers.add(app("main", dice.between(1, 4)));
    } else if (shape < 34) {
      containers.add(app("main", 2 * dice.between(1, 4)));
      fullName = name + TWO_DEVICES;
    } else {
      containers.add(app("main", size(dice)));
    }
    ObjectNode pod = new PodPlan(fullName, Optional.empty(), containers).toJson();
    wish(pod, fullName, dice);
    return pod;
  }

  /** Small ones most often, so that devices fill to the last unit. */
  private static int size(Dice dice) {
    return dice.oneIn(3) ? dice.between(1, LARGEST) : dice.between(1, 4);
  }

  private static KubeletContainer app(String name, int units) {
    return KubeletContainer.app(name, resource(), units);
  }

  private static String resource() {
    return World.KEYS.resource();
  }

  private static void wish(ObjectNode pod, String name, Dice dice) {
    ObjectNode annotations = ((ObjectNode) pod.path("metadata")).putObject("annotations");
    if (name.endsWith(TWO_DEVICES)) {
      annotations.put(World.KEYS.deviceCount(), "2");
    }
    if (dice.oneIn(8)) {
      annotations.put(World.KEYS.policy(), "spread");
    }
    if (dice.oneIn(12)) {
      annotations.put(World.KEYS.model(), dice.of(List.of("Card S", "Card L")));
    }
    ((ObjectNode) pod.path("spec")).put("priority", dice.below(3));
  }
}
