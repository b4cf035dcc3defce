package io.gpumem.platform.cluster.fake;

import java.util.UUID;
import java.util.random.RandomGenerator;

/** The names that the server itself gives. */
final class Names {

  /** As the real server's: no vowels, so that no words come out. */
  private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

  private static final int SUFFIX_LENGTH = 5;

  private static final long VERSION_4 = 0x4000L;
  private static final long VARIANT_2 = 0x8000000000000000L;

  private Names() {}

  /** A random UUID, version 4, from the given chance: a seed makes it the same again. */
  static String uid(RandomGenerator chance) {
    long high = (chance.nextLong() & ~0xF000L) | VERSION_4;
    long low = (chance.nextLong() & 0x3FFFFFFFFFFFFFFFL) | VARIANT_2;
    return new UUID(high, low).toString();
  }

  static String suffix(RandomGenerator chance) {
    StringBuilder suffix = new StringBuilder();
    for (int i = 0; i < SUFFIX_LENGTH; i++) {
      suffix.append(ALPHABET.charAt(chance.nextInt(ALPHABET.length())));
    }
    return suffix.toString();
  }
}
