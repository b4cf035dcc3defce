package io.gpumem.platform.cluster;

import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Time and chance for this package.
 *
 * @param nanos a clock that only goes forward, for waits
 * @param clock the time of day, for events
 * @param chance used by several threads
 */
record Ticks(LongSupplier nanos, InstantSource clock, RandomGenerator chance) {

  static Ticks system() {
    return new Ticks(System::nanoTime, Clock.systemUTC(), new Random());
  }

  long now() {
    return nanos.getAsLong();
  }

  Duration since(long then) {
    return Duration.ofNanos(now() - then);
  }
}
