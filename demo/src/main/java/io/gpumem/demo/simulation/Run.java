package io.gpumem.demo.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/** One seed played through, or the first moves of it. */
final class Run {

  /** Long enough for every timer of ours to have come round: the longest is a minute. */
  private static final Duration REST = Duration.ofSeconds(150);

  /**
   * How it went.
   *
   * @param wrong what must not be, empty when all is well
   * @param refused pods that a kubelet refused at admission
   */
  record Result(
      long seed,
      int moves,
      Set<Fault> faults,
      List<String> wrong,
      List<String> trace,
      long events,
      int refused) {

    boolean isWell() {
      return wrong.isEmpty();
    }
  }

  private final long seed;
  private final List<Moves.Move> moves;
  private final World world;
  private final Rules rules;

  private Run(long seed, int moves) {
    this.seed = seed;
    List<Moves.Move> all = Moves.of(seed);
    this.moves = all.subList(0, Math.min(moves, all.size()));
    this.world = new World(seed, Moves.faults(seed));
    this.rules = new Rules(world);
  }

  /** All moves of the seed. */
  static Result whole(long seed) {
    return prefix(seed, Integer.MAX_VALUE);
  }

  /** The first moves of the seed only. */
  static Result prefix(long seed, int moves) {
    Run run = new Run(seed, moves);
    List<String> wrong = run.played();
    int refused =
        run.world.nodes().stream().mapToInt(node -> node.kubelet().refusals().size()).sum();
    return new Result(
        seed,
        run.moves.size(),
        run.world.faults(),
        wrong,
        run.world.trace().lines(),
        run.world.time().events(),
        refused);
  }

  private List<String> played() {
    List<String> wrong = new ArrayList<>();
    try {
      for (Moves.Move move : moves) {
        pass(move.after()).ifPresent(wrong::add);
        if (!wrong.isEmpty()) {
          return wrong;
        }
        move.act().accept(world);
      }
      world.calmDown();
      pass(REST).ifPresent(wrong::add);
      return wrong.isEmpty() ? EndState.wrong(world) : wrong;
    } catch (RuntimeException bug) {
      StackTraceElement[] stack = bug.getStackTrace();
      wrong.add("threw " + bug + (stack.length == 0 ? "" : " at " + stack[0]));
      return wrong;
    }
  }

  private Optional<String> pass(Duration span) {
    long end = world.time().monotonicNanos() + span.toNanos();
    while (world.time().runOne(end)) {
      Optional<String> broken = rules.broken();
      if (broken.isPresent()) {
        return broken;
      }
    }
    return Optional.empty();
  }

  /** The fewest first moves of the seed with which something is wrong. */
  static Result shortest(Result failing) {
    long seed = failing.seed();
    return prefix(seed, fewest(failing.moves(), moves -> prefix(seed, moves).isWell()));
  }

  /**
   * The least number that is not well, at most the given one, which is not. Tried one by one: a
   * prefix can be well though a shorter one is not.
   */
  static int fewest(int failing, IntPredicate isWell) {
    for (int moves = 0; moves < failing; moves++) {
      if (!isWell.test(moves)) {
        return moves;
      }
    }
    return failing;
  }
}
