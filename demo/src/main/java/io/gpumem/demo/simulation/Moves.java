package io.gpumem.demo.simulation;

import io.gpumem.plugin.kubelet.fake.Restart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What users do and what goes wrong, in the order in which it happens. The list follows from the
 * seed alone, so that a shorter run is a prefix of the longer one; whom a move hits is decided when
 * it is made.
 */
final class Moves {

  private static final int FEWEST = 12;
  private static final int MOST = 60;

  /** One thing that happens, so long after the one before. */
  record Move(Duration after, Consumer<World> act) {}

  private final Set<Fault> faults;
  private final Dice dice;
  private final Users users;
  private final Troubles troubles;

  private Moves(long seed, Set<Fault> faults) {
    this.faults = faults;
    this.dice = Dice.of(seed, "moves");
    this.users = new Users(dice.of("users"));
    this.troubles = new Troubles(dice.of("troubles"));
  }

  /** The faults that may happen in this seed's world; none in every sixth. */
  static Set<Fault> faults(long seed) {
    Dice dice = Dice.of(seed, "faults");
    Set<Fault> drawn = EnumSet.noneOf(Fault.class);
    if (dice.oneIn(6)) {
      return drawn;
    }
    boolean onlyHarmless = dice.oneIn(4);
    int share = dice.between(2, 6);
    for (Fault fault : Fault.values()) {
      if (dice.oneIn(share) && (fault.isHarmless() || !onlyHarmless)) {
        drawn.add(fault);
      }
    }
    return drawn;
  }

  static List<Move> of(long seed) {
    Moves moves = new Moves(seed, faults(seed));
    List<Move> all = new ArrayList<>();
    // Nobody waits for the first registration but some.
    all.add(new Move(moves.dice.millis(0, 3_000), world -> {}));
    int count = moves.dice.between(FEWEST, MOST);
    for (int i = 0; i < count; i++) {
      all.add(moves.next());
    }
    return all;
  }

  private Move next() {
    Duration after = dice.oneIn(3) ? Duration.ZERO : dice.millis(1, 1_500);
    boolean trouble = !faults.isEmpty() && dice.oneIn(3);
    if (!trouble) {
      return new Move(after, users.next(faults));
    }
    Fault fault = dice.of(List.copyOf(new java.util.TreeSet<>(faults)));
    return new Move(after, act(fault));
  }

  private Consumer<World> act(Fault fault) {
    return switch (fault) {
      case PLUGIN_KILL -> troubles.killPlugin();
      case KUBELET_RESTART -> troubles.restartKubelet(Restart.Checkpoint.KEPT);
      case LOST_CHECKPOINT -> troubles.restartKubelet(troubles.lostCheckpoint());
      case EXTENDER_KILL -> troubles.killExtender();
      case KILL_AT_WRITE -> troubles.killAtWrite();
      case LATE_WATCH -> troubles.lateWatch();
      case CUT_WATCH -> troubles.cutWatch();
      case REPEATED_EVENTS -> troubles.repeatEvents();
      case DISORDER -> troubles.disorder();
      case API_AWAY -> troubles.apiAway();
      case LOST_WRITES -> troubles.loseWrites();
      case BYPASS -> users.bypass();
      case FORGED_POD -> troubles.forgePod();
      case FORGED_NODE -> troubles.forgeNode();
      case DEVICE -> troubles.device();
      case CORDON -> troubles.cordon();
      case NVML_HANG -> troubles.hangNvml();
      case STRANGER_LIST -> troubles.listAsStranger();
      case FORCE_DELETE -> users.forceDelete();
      case TABLE_UNREADABLE -> troubles.hideTable();
      case SECOND_EXTENDER -> users.createFor(World.SECOND);
    };
  }
}
