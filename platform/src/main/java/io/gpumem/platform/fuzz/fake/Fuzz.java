package io.gpumem.platform.fuzz.fake;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A series of runs, each with an input that was damaged by chance. Runs are played in blocks: each
 * block has a world of its own, made from the seed and the block's number, and each run has chance
 * of its own, made from the seed and the run's number. So one run is replayed by playing its block
 * up to it.
 *
 * @param name of the class that is to be run again
 * @param runs how many
 * @param only the one run that is to be replayed; empty for all of them
 */
public record Fuzz(String name, long runs, long seed, OptionalLong only) {

  /** Worlds are dear and inputs cheap; and a replay must not take long. */
  static final int BLOCK = 200;

  /** A hang is a finding, too: a block takes a second even where many share a machine. */
  private static final Duration BLOCK_LIMIT = Duration.ofMinutes(5);

  /** What runs are played against. */
  public interface Victim extends AutoCloseable {

    /**
     * Plays one run; what it throws is the finding.
     *
     * @return in a few words what came of it, to be counted
     */
    Outcome play(Random chance, Trace trace) throws Exception;

    /** The world must be as it was made; what it throws is a finding, too. */
    @Override
    void close();
  }

  /** Makes the world of one block. */
  @FunctionalInterface
  public interface World {
    Victim of(Random chance);
  }

  /**
   * What came of a run.
   *
   * @param kind constant text
   * @param isDeep whether the input got past the parser
   */
  public record Outcome(String kind, boolean isDeep) {}

  /**
   * As the system properties {@code fuzz.runs}, {@code fuzz.seed} and {@code fuzz.run} say; a short
   * series without them.
   *
   * @param part of the total this series is: one in so many
   */
  public static Fuzz configured(Class<?> test, long shortRuns, int part) {
    Long all = Long.getLong("fuzz.runs");
    Long only = Long.getLong("fuzz.run");
    return new Fuzz(
        test.getSimpleName(),
        all == null ? shortRuns : Math.ceilDiv(all, part),
        Long.getLong("fuzz.seed", 0),
        only == null ? OptionalLong.empty() : OptionalLong.of(only));
  }

  /** Plays the series; the first finding ends it, as an {@link AssertionError} that says all. */
  public Tally play(World world) {
    var tally = new Tally();
    long first = only.isPresent() ? only.getAsLong() / BLOCK : 0;
    long end = only.isPresent() ? only.getAsLong() + 1 : runs;
    for (long block = first; block * BLOCK < end; block++) {
      play(world, block, Math.min(end, (block + 1) * BLOCK), tally);
    }
    return tally;
  }

  private void play(World world, long block, long end, Tally tally) {
    var trace = new Trace();
    var task = new FutureTask<>(() -> playBlock(world, block, end, tally, trace));
    Thread thread = Thread.ofPlatform().daemon().name("fuzz").start(task);
    try {
      long unused = task.get(BLOCK_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException found) {
      Throwable cause = Objects.requireNonNullElse(found.getCause(), found);
      throw finding(trace, cause.toString(), cause);
    } catch (TimeoutException hangs) {
      var where = new IllegalStateException("the place where it hangs");
      where.setStackTrace(thread.getStackTrace());
      throw finding(trace, "no end within " + BLOCK_LIMIT, where);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw finding(trace, "interrupted", stopped);
    }
  }

  private long playBlock(World world, long block, long end, Tally tally, Trace trace)
      throws Exception {
    long first = block * BLOCK;
    try (Victim victim = world.of(new Random(mixed(~block)))) {
      for (long run = first; run < end; run++) {
        trace.begin(run);
        tally.count(victim.play(new Random(mixed(run)), trace));
      }
    }
    return end - first;
  }

  private AssertionError finding(Trace trace, String what, Throwable cause) {
    return new AssertionError(
        "%s%n  seed %d, run %d, input %s%n  again: make fuzz FUZZ=%s SEED=%d RUN=%d"
            .formatted(what, seed, trace.run(), trace.input(), name, seed, trace.run()),
        cause);
  }

  /** Neighbouring numbers give seeds far apart (the finalizer of SplitMix64). */
  private long mixed(long number) {
    long z = seed * 0x9E3779B97F4A7C15L + number * 0xD1B54A32D192ED03L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
