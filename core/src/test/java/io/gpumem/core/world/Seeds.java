package io.gpumem.core.world;

import java.util.stream.LongStream;

/**
 * The seeds of the random tests. Each is in the name of its test, and one alone is replayed by
 * {@code build/maven -pl core test -Dtest=<class> -Dseed=<seed>}.
 */
public final class Seeds {

  /** How tests with seeds are named. */
  public static final String NAME = "seed {0}";

  private Seeds() {}

  /** For laws that one world each says little about. */
  public static LongStream many() {
    return upTo(300);
  }

  /** For laws that look at a whole history or search by brute force. */
  public static LongStream some() {
    return upTo(100);
  }

  private static LongStream upTo(long count) {
    Long only = Long.getLong("seed");
    return only == null ? LongStream.rangeClosed(1, count) : LongStream.of(only);
  }
}
