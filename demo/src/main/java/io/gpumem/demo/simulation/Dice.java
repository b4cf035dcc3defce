package io.gpumem.demo.simulation;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Chance from the seed. Each part of the world throws dice of its own, so that one part's throws do
 * not change another's when a run is shortened.
 */
final class Dice {

  private final SplittableRandom random;
  private final long seed;

  private Dice(long seed) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
  }

  static Dice of(long seed, String part) {
    return new Dice(mixed(seed * 0x9E3779B97F4A7C15L + part.hashCode()));
  }

  /** The dice of a part of this part. */
  Dice of(String part) {
    return new Dice(mixed(seed + 31L * part.hashCode() + 1));
  }

  private static long mixed(long bits) {
    long mixed = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  int between(int least, int most) {
    return random.nextInt(least, most + 1);
  }

  long number() {
    return random.nextLong();
  }

  Duration millis(int least, int most) {
    return Duration.ofMillis(between(least, most));
  }

  <T> T of(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  SplittableRandom generator() {
    return random;
  }
}
