package io.gpumem.demo.simulation;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.plugin.kubelet.fake.Restart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The faults, each as a move. Chance is drawn when the move is made up. */
final class Troubles {

  private static final List<String> FORGED =
      List.of(
          "",
          "{",
          "{\"v\":1}",
          "{\"v\":2,\"pods\":{}}",
          "{\"v\":1,\"pods\":{}}",
          "{\"v\":1,\"unit\":\"1Gi\",\"devices\":[]}",
          "{\"v\":1,\"pods\":{\"u\":{\"pod\":\"default/p0\",\"containers\":{\"main\":{\"GPU-x\":9}}}}}");

  private final Dice dice;

  Troubles(Dice dice) {
    this.dice = dice;
  }

  private Consumer<World> onNode(Consumer<SimNode> act) {
    int number = dice.below(1 << 16);
    return world -> act.accept(world.nodes().get(number % world.nodes().size()));
  }

  Consumer<World> killPlugin() {
    return onNode(SimNode::killPlugin);
  }

  Restart.Checkpoint lostCheckpoint() {
    return dice.oneIn(2) ? Restart.Checkpoint.MISSING : Restart.Checkpoint.CORRUPT;
  }

  Consumer<World> restartKubelet(Restart.Checkpoint checkpoint) {
    Restart how = dice.oneIn(4) ? Restart.plain().withRuntimeUnseen() : Restart.plain();
    Restart wanted = (dice.oneIn(6) ? Restart.reboot() : how).withCheckpoint(checkpoint);
    Duration pause = dice.millis(100, 3_000);
    return onNode(
        node -> {
          if (node.kubelet().isUp()) {
            node.kubelet().restart(wanted, pause);
            if (wanted.containers() == Restart.Containers.REBOOTED) {
              node.killPlugin();
            }
            node.plugin().ifPresent(plugin -> plugin.kubeletRestarted());
          }
        });
  }

  Consumer<World> killExtender() {
    int number = dice.below(1 << 16);
    return world -> world.extenders().get(number % world.extenders().size()).kill();
  }

  Consumer<World> killAtWrite() {
    int writes = dice.between(1, 4);
    SimProcess.Moment moment =
        dice.oneIn(2) ? SimProcess.Moment.BEFORE_WRITE : SimProcess.Moment.AFTER_WRITE;
    int number = dice.below(1 << 16);
    return world -> {
      List<SimProcess> processes = new ArrayList<>();
      world.nodes().forEach(node -> node.plugin().ifPresent(p -> processes.add(p.process())));
      world.extenders().forEach(slot -> slot.extender().ifPresent(e -> processes.add(e.process())));
      if (!processes.isEmpty()) {
        SimProcess chosen = processes.get(number % processes.size());
        world.trace().note("fault", chosen.name() + " dies at write " + writes + " " + moment);
        chosen.killAtWrite(writes, moment);
      }
    };
  }

  private static List<SimCluster> clusters(World world) {
    List<SimCluster> clusters = new ArrayList<>();
    world.nodes().forEach(node -> node.plugin().ifPresent(p -> clusters.add(p.cluster())));
    world.extenders().forEach(slot -> slot.extender().ifPresent(e -> clusters.add(e.cluster())));
    return clusters;
  }

  private Consumer<World> onFeed(Consumer<SimFeed<?, ?>> act) {
    int number = dice.below(1 << 16);
    return world -> {
      List<SimFeed<?, ?>> feeds = new ArrayList<>();
      clusters(world).forEach(cluster -> feeds.addAll(cluster.feeds()));
      world.nodes().forEach(node -> feeds.add(node.kubelet().feed()));
      act.accept(feeds.get(number % feeds.size()));
    };
  }

  Consumer<World> lateWatch() {
    SimFeed.Pace pace = dice.of(List.of(SimFeed.Pace.values()));
    return onFeed(feed -> feed.pace(pace));
  }

  Consumer<World> cutWatch() {
    Duration pause = dice.millis(0, 4_000);
    return onFeed(feed -> feed.cut(pause));
  }

  Consumer<World> repeatEvents() {
    return onFeed(feed -> feed.repeats(true));
  }

  Consumer<World> disorder() {
    return onNode(node -> node.kubelet().disorderly(true));
  }

  Consumer<World> apiAway() {
    long nanos = dice.millis(200, 6_000).toNanos();
    return world -> {
      world.trace().note("fault", "API server away for " + nanos / 1_000_000 + " ms");
      world.api().goAway(world.time().monotonicNanos() + nanos);
    };
  }

  Consumer<World> loseWrites() {
    int number = dice.below(1 << 16);
    return world -> {
      List<SimCluster> clusters = clusters(world);
      if (!clusters.isEmpty()) {
        clusters.get(number % clusters.size()).lossy(true);
      }
    };
  }

  /** Somebody writes a reservation by hand: garbage, or another pod's. */
  Consumer<World> forgePod() {
    int number = dice.below(1 << 16);
    int from = dice.below(1 << 16);
    String garbage = dice.of(FORGED);
    boolean copied = dice.oneIn(2);
    return world -> {
      List<ObjectNode> pods = world.pods();
      if (pods.isEmpty() || world.api().isAway()) {
        return;
      }
      ObjectNode pod = pods.get(number % pods.size());
      String other =
          SimCluster.annotations(pods.get(from % pods.size()))
              .getOrDefault(World.KEYS.reservation(), garbage);
      annotate(
          world,
          ObjectKey.pod(World.namespace(), World.name(pod)),
          Map.of(World.KEYS.reservation(), copied ? other : garbage));
    };
  }

  Consumer<World> forgeNode() {
    String garbage = dice.of(FORGED);
    boolean inventory = dice.oneIn(2);
    int doubled = dice.below(3);
    return onNode2(
        (world, node) -> {
          String key = inventory ? World.KEYS.devices() : World.KEYS.allocations();
          String now =
              world
                  .api()
                  .find(ObjectKey.node(node.name()))
                  .map(SimCluster::annotations)
                  .map(all -> all.getOrDefault(key, garbage))
                  .orElse(garbage);
          // As a clever forger would: the same with more units, or less of everything.
          String forged =
              switch (doubled) {
                case 0 -> garbage;
                case 1 -> now.replaceAll("\"units\":(\\d)", "\"units\":9$1");
                default -> now.replaceAll(":(\\d+)([,}])", ":1$2");
              };
          annotate(world, ObjectKey.node(node.name()), Map.of(key, forged));
        });
  }

  private interface OnNode {
    void act(World world, SimNode node);
  }

  private Consumer<World> onNode2(OnNode act) {
    int number = dice.below(1 << 16);
    return world -> {
      if (!world.api().isAway()) {
        act.act(world, world.nodes().get(number % world.nodes().size()));
      }
    };
  }

  private static void annotate(World world, ObjectKey key, Map<String, String> annotations) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode values = patch.putObject("metadata").putObject("annotations");
    new TreeMap<>(annotations).forEach(values::put);
    world.trace().note("forger", "writes " + key.name() + " " + values);
    boolean unused = world.api().patch(key, patch);
  }

  Consumer<World> device() {
    int number = dice.below(1 << 16);
    int what = dice.below(4);
    return onNode(
        node -> {
          List<DeviceUuid> devices = node.machine().devices();
          DeviceUuid device = devices.get(number % devices.size());
          switch (what) {
            case 0 -> node.machine().vanish(device);
            case 1 -> node.machine().breakDown(device, "XID 79");
            default -> node.machine().mend(device);
          }
        });
  }

  Consumer<World> cordon() {
    int number = dice.below(4);
    boolean off = dice.oneIn(2);
    return onNode2(
        (world, node) ->
            annotate(
                world,
                ObjectKey.node(node.name()),
                Map.of(World.KEYS.cordon(), off ? "" : Integer.toString(number))));
  }

  Consumer<World> hangNvml() {
    boolean on = dice.oneIn(2);
    return onNode(node -> node.machine().hang(on));
  }

  /** A monitoring agent lists the kubelet's table, which makes the kubelet book anew. */
  Consumer<World> listAsStranger() {
    int times = dice.between(1, 30);
    int gap = dice.between(1, 60);
    return onNode2((world, node) -> list(world, node, times, gap));
  }

  private static void list(World world, SimNode node, int times, int gapMillis) {
    if (node.kubelet().isUp()) {
      var unused = node.kubelet().core().list();
    }
    if (times > 1) {
      var later =
          world
              .time()
              .schedule(
                  Duration.ofMillis(gapMillis), () -> list(world, node, times - 1, gapMillis));
    }
  }

  Consumer<World> hideTable() {
    boolean on = dice.oneIn(2);
    return onNode(node -> node.plugin().ifPresent(plugin -> plugin.readsFail(on)));
  }
}
