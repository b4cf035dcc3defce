package io.gpumem.demo.simulation;

import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.ResourceKind;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * What people and controllers do with pods. Each method draws its chance when the move is made up.
 */
final class Users {

  private final Dice dice;
  private int created;

  Users(Dice dice) {
    this.dice = dice;
  }

  Consumer<World> next(Set<Fault> faults) {
    int kind = dice.below(100);
    if (kind < 62) {
      return createFor(World.OWN);
    }
    if (kind < 80) {
      return delete();
    }
    return kind < 92 ? finish() : recreate();
  }

  Consumer<World> createFor(String scheduler) {
    ObjectNode pod = Pods.any(scheduler + created++, dice);
    return world -> create(world, pod);
  }

  private static void create(World world, ObjectNode pod) {
    String name = World.name(pod);
    if (!world.api().isAway()
        && world.api().find(ObjectKey.pod(World.namespace(), name)).isEmpty()) {
      world.trace().note("user", "creates " + name + " " + containers(pod));
      ObjectNode unused = world.api().create(ResourceKind.PODS, pod);
    }
  }

  private static String containers(ObjectNode pod) {
    StringBuilder text = new StringBuilder();
    for (String field : List.of("initContainers", "containers")) {
      for (var container : pod.path("spec").path(field)) {
        text.append(container.path("name").asString(""))
            .append('=')
            .append(
                container
                    .path("resources")
                    .path("limits")
                    .path(World.KEYS.resource())
                    .asString("-"))
            .append(' ');
      }
    }
    return text.append(pod.path("metadata").path("annotations")).toString();
  }

  /** A pod that never meets our extender: placed by a stock scheduler, or by hand. */
  Consumer<World> bypass() {
    ObjectNode pod = Pods.any(World.STOCK + created++, dice);
    boolean byHand = dice.oneIn(2);
    int node = dice.below(1 << 16);
    return world -> {
      if (byHand) {
        String name = world.nodes().get(node % world.nodes().size()).name();
        ((ObjectNode) pod.path("spec")).put("nodeName", name);
      }
      create(world, pod);
    };
  }

  private Optional<ObjectNode> chosen(World world, int number) {
    List<ObjectNode> pods = world.pods();
    return pods.isEmpty() ? Optional.empty() : Optional.of(pods.get(number % pods.size()));
  }

  private Consumer<World> delete() {
    int number = dice.below(1 << 16);
    return world -> chosen(world, number).ifPresent(pod -> delete(world, pod));
  }

  private static void delete(World world, ObjectNode pod) {
    if (!world.api().isAway()) {
      world.trace().note("user", "deletes " + World.name(pod));
      boolean unused = world.api().deletePod(ObjectKey.pod(World.namespace(), World.name(pod)));
    }
  }

  /** Deletes a pod, and makes another of the same name as soon as that goes. */
  private Consumer<World> recreate() {
    int number = dice.below(1 << 16);
    ObjectNode another = Pods.any("x", dice);
    return world ->
        chosen(world, number)
            .ifPresent(
                pod -> {
                  delete(world, pod);
                  ObjectNode next = another.deepCopy();
                  ((ObjectNode) next.path("metadata")).put("name", World.name(pod));
                  if (World.name(pod).endsWith(Pods.TWO_DEVICES)
                      != next.path("metadata").path("annotations").has(World.KEYS.deviceCount())) {
                    return;
                  }
                  soon(world, next, 60);
                });
  }

  private static void soon(World world, ObjectNode pod, int tries) {
    boolean there =
        world.api().isAway()
            || world.api().find(ObjectKey.pod(World.namespace(), World.name(pod))).isPresent();
    if (!there) {
      create(world, pod);
    } else if (tries > 0) {
      var unused =
          world.time().schedule(java.time.Duration.ofMillis(50), () -> soon(world, pod, tries - 1));
    }
  }

  private Consumer<World> finish() {
    int number = dice.below(1 << 16);
    return world ->
        chosen(world, number)
            .ifPresent(
                pod ->
                    world.nodes().stream()
                        .filter(node -> node.name().equals(World.node(pod)))
                        .filter(node -> node.kubelet().isUp())
                        .forEach(node -> node.kubelet().succeed(World.uid(pod))));
  }

  /** The object goes at once; the kubelet hears of it by its watch. */
  Consumer<World> forceDelete() {
    int number = dice.below(1 << 16);
    return world ->
        chosen(world, number)
            .filter(pod -> !world.api().isAway())
            .ifPresent(
                pod -> {
                  world.trace().note("user", "deletes " + World.name(pod) + " by force");
                  boolean unused =
                      world.api().remove(ObjectKey.pod(World.namespace(), World.name(pod)));
                });
  }
}
