package io.gpumem.platform.web;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodyReaderTest {

  private static final int LIMIT = 100_000;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 16_383, 16_384, 16_385, 32_768, 65_536, 99_999, 100_000})
  void readsBodiesOfEverySizeUpToTheLimit(int size) throws IOException {
    for (long announced : new long[] {size, -1}) {
      assertArrayEquals(bytes(size), complete(reader(3 * LIMIT), bytes(size), announced));
    }
  }

  @Test
  void refusesWhatIsLargerThanTheLimit() throws IOException {
    var reader = reader(3 * LIMIT);
    try (var share = reader.share()) {
      assertEquals(
          new BodyReader.Outcome.TooLarge(),
          reader.read(new ByteArrayInputStream(bytes(LIMIT + 1)), -1, share));
      assertEquals(
          new BodyReader.Outcome.TooLarge(),
          reader.read(InputStream.nullInputStream(), LIMIT + 1L, share));
    }
  }

  @Test
  void refusesWhatTheBudgetDoesNotHold() throws IOException {
    var reader = reader(3 * LIMIT);
    try (var first = reader.share();
        var second = reader.share()) {
      assertInstanceOf(BodyReader.Outcome.Complete.class, read(reader, LIMIT, first));
      assertInstanceOf(BodyReader.Outcome.Complete.class, read(reader, LIMIT, second));
      try (var third = reader.share()) {
        assertEquals(new BodyReader.Outcome.NoMemory(), read(reader, LIMIT, third));
      }
    }
    assertArrayEquals(bytes(LIMIT), complete(reader, bytes(LIMIT), LIMIT));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void givesEveryByteOfTheBudgetBack(long seed) throws IOException {
    var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    var reader = reader(2 * LIMIT);
    for (int i = 0; i < 200; i++) {
      int size = random.nextInt(LIMIT + 2);
      long announced = random.nextBoolean() ? -1 : size;
      try (var share = reader.share()) {
        var _ = reader.read(new Trickle(bytes(size), random), announced, share);
      }
    }

    // The whole budget is free again: two bodies of half of it fit at one time.
    try (var first = reader.share();
        var second = reader.share()) {
      assertInstanceOf(BodyReader.Outcome.Complete.class, read(reader, 16_384, first));
      assertInstanceOf(BodyReader.Outcome.Complete.class, read(reader, LIMIT, second));
    }
  }

  static LongStream seeds() {
    return LongStream.range(0, 5);
  }

  private static BodyReader reader(int budget) {
    return new BodyReader(LIMIT, budget);
  }

  private static BodyReader.Outcome read(BodyReader reader, int size, BodyReader.Share share)
      throws IOException {
    return reader.read(new ByteArrayInputStream(bytes(size)), size, share);
  }

  private static byte[] complete(BodyReader reader, byte[] body, long announced)
      throws IOException {
    try (var share = reader.share()) {
      var outcome = reader.read(new ByteArrayInputStream(body), announced, share);
      return assertInstanceOf(BodyReader.Outcome.Complete.class, outcome).body();
    }
  }

  private static byte[] bytes(int size) {
    var bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (i * 31);
    }
    return bytes;
  }

  /** A stream that gives as few bytes at a time as a network may. */
  private static final class Trickle extends ByteArrayInputStream {

    private final RandomGenerator random;

    private Trickle(byte[] bytes, RandomGenerator random) {
      super(Arrays.copyOf(bytes, bytes.length));
      this.random = random;
    }

    @Override
    public int read(byte[] into, int from, int length) {
      return super.read(into, from, length == 0 ? 0 : 1 + random.nextInt(length));
    }
  }
}
