package io.gpumem.demo.simulation;

import io.gpumem.core.wire.Keys;
import java.time.Duration;
import java.util.Optional;

/** A node: its kubelet, its GPUs, and the plugin, which is started again whenever it dies. */
final class SimNode {

  private final Keys keys;
  private final SimApi api;
  private final EventTime time;
  private final Trace trace;
  private final Dice dice;
  private final Duration reservationWait;
  private final SimKubelet kubelet;
  private final SimMachine machine;
  private Optional<SimPlugin> plugin = Optional.empty();
  private int lives;

  SimNode(
      String name,
      Keys keys,
      SimApi api,
      EventTime time,
      Trace trace,
      Dice dice,
      Duration reservationWait) {
    this.keys = keys;
    this.api = api;
    this.time = time;
    this.trace = trace;
    this.dice = dice;
    this.reservationWait = reservationWait;
    this.machine = new SimMachine(name, dice.of("machine"));
    this.kubelet = new SimKubelet(name, keys.resource(), api, time, trace, dice.of("kubelet"));
    startPlugin();
  }

  private void startPlugin() {
    lives++;
    trace.note(name(), "plugin starts");
    SimPlugin.Site site = new SimPlugin.Site(keys, kubelet, machine, api, time, trace);
    plugin =
        Optional.of(
            new SimPlugin(
                site, reservationWait, lives, dice.of("plugin-" + lives), this::pluginDied));
  }

  private void pluginDied() {
    trace.note(name(), "plugin died");
    plugin = Optional.empty();
    var unused = time.schedule(dice.millis(200, 3_000), this::startPlugin);
  }

  String name() {
    return kubelet.name();
  }

  SimKubelet kubelet() {
    return kubelet;
  }

  SimMachine machine() {
    return machine;
  }

  /** Empty while it is dead. */
  Optional<SimPlugin> plugin() {
    return plugin;
  }

  void killPlugin() {
    plugin.ifPresent(alive -> alive.process().kill());
  }
}
