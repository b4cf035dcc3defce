package io.gpumem.extender.verdict;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.placement.Verdict;
import io.gpumem.core.units.NodeName;
import java.util.List;
import java.util.Optional;

/**
 * Why a pod is where it is, or is nowhere: for people, with all the numbers that a refusal's
 * constant text leaves out. Amounts are in units.
 *
 * @param policy empty when the pod's annotations can't be understood
 * @param nodes every node with a plugin, by name
 */
public record Explanation(PodFacts pod, Optional<Policy> policy, List<OnNode> nodes) {

  public Explanation {
    nodes = List.copyOf(nodes);
  }

  /**
   * One node as this pod meets it: without the pod itself, and with those that are ahead of it.
   *
   * @param verdict what filter says
   * @param largestFree free units of the emptiest device that the pod accepts and may use
   * @param largestDevice units of the largest device that the pod accepts
   * @param free free units of all devices that the pod accepts and may use
   * @param unplaced units of pods of which nobody knows the device; they are off every device
   * @param remedy what would make it fit; empty when it fits
   */
  public record OnNode(
      NodeName node,
      boolean ready,
      Verdict verdict,
      long largestFree,
      long largestDevice,
      long free,
      long unplaced,
      Optional<String> remedy,
      List<OnDevice> devices) {

    public OnNode {
      devices = List.copyOf(devices);
    }
  }

  /**
   * One device.
   *
   * @param wanted whether the pod accepts a device of this model
   * @param used all that is taken: allocated, reserved and surplus
   * @param allocated given by the kubelet
   * @param reserved planned and not yet given
   * @param surplus held beyond the main phase by pods with a large init container
   * @param free what is neither used nor may turn out to be
   */
  public record OnDevice(
      Device device,
      boolean wanted,
      boolean cordoned,
      long used,
      long allocated,
      long reserved,
      long surplus,
      long free) {}
}
