package io.gpumem.demo.simulation;

import io.gpumem.core.wire.Keys;
import java.util.Optional;

/** Where an extender runs, which is started again whenever it dies. */
final class ExtenderSlot {

  private final String name;
  private final Keys keys;
  private final SimApi api;
  private final EventTime time;
  private final Trace trace;
  private final Dice dice;
  private Optional<SimExtender> extender = Optional.empty();
  private int lives;

  ExtenderSlot(String name, Keys keys, SimApi api, EventTime time, Trace trace, Dice dice) {
    this.name = name;
    this.keys = keys;
    this.api = api;
    this.time = time;
    this.trace = trace;
    this.dice = dice;
    start();
  }

  private void start() {
    lives++;
    trace.note(name, "starts");
    extender =
        Optional.of(new SimExtender(name, keys, api, time, dice.of("life-" + lives), this::died));
  }

  private void died() {
    trace.note(name, "died");
    extender = Optional.empty();
    var unused = time.schedule(dice.millis(200, 2_000), this::start);
  }

  /** Empty while it is dead. */
  Optional<SimExtender> extender() {
    return extender;
  }

  void kill() {
    extender.ifPresent(alive -> alive.process().kill());
  }
}
