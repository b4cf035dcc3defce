package io.gpumem.demo.hardware;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The nodes of a private /dev, as paths, in order: what a container runtime makes of a device
 * plugin's answer, beside what every container has.
 */
record DevPlan(List<String> nodes) {

  /** A GPU's own node; the others are common to all. */
  private static final Pattern GPU = Pattern.compile("/dev/nvidia\\d+");

  /**
   * A node as an answer names it.
   *
   * @param permissions of {@code r}, {@code w} and {@code m}
   */
  record Node(String hostPath, String containerPath, String permissions) {}

  DevPlan {
    nodes = List.copyOf(nodes);
  }

  /**
   * The plan of an answer.
   *
   * @throws IllegalArgumentException if a node has another name inside, which a node of the
   *     driver's must not have, or may not be read and written
   */
  static DevPlan of(List<Node> answer) {
    List<String> paths = new ArrayList<>();
    for (Node node : answer) {
      if (!node.hostPath().equals(node.containerPath())) {
        throw new IllegalArgumentException("expected one name inside and outside but was " + node);
      }
      if (!node.permissions().contains("rw")) {
        throw new IllegalArgumentException("expected a node to read and write but was " + node);
      }
      paths.add(node.hostPath());
    }
    return new DevPlan(paths);
  }

  /** The GPUs' own nodes among them. */
  List<String> gpus() {
    return nodes.stream().filter(node -> GPU.matcher(node).matches()).toList();
  }

  /** The same without any GPU's own node. */
  DevPlan withoutGpus() {
    return new DevPlan(nodes.stream().filter(node -> !GPU.matcher(node).matches()).toList());
  }

  /** The command that runs the program in such a /dev. */
  List<String> command(String privateDev, List<String> program) {
    List<String> command = new ArrayList<>();
    command.add(privateDev);
    command.addAll(nodes);
    command.add("--");
    command.addAll(program);
    return command;
  }
}
