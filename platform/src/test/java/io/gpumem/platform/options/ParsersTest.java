package io.gpumem.platform.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.gpumem.core.units.Memory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParsersTest {

  private static final Parser<Duration> ANY_DURATION =
      Parsers.duration(Duration.ZERO, Duration.ofDays(1));

  private enum Policy {
    BEST_FIT,
    SPREAD
  }

  @ParameterizedTest
  @CsvSource({"200ms,200", "5s,5000", "10m,600000", "1h,3600000", "0s,0"})
  void readsDurations(String text, long millis) {
    assertGood(Duration.ofMillis(millis), ANY_DURATION, text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "s", "-5s", "1.5s", "5 s", "5S", "1d", "25h", "9999999999s"})
  void refusesOtherDurations(String text) {
    assertBad(ANY_DURATION, text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"200ms", "5s", "90s", "10m", "24h", "0ms"})
  void readsTheDurationsThatItWrites(String text) {
    var read = assertInstanceOf(Reading.Good.class, ANY_DURATION.parse(text));

    assertEquals(text, Parsers.format((Duration) read.value()));
  }

  @Test
  void holdsDurationsToTheirBounds() {
    var parser = Parsers.duration(Duration.ofSeconds(1), Duration.ofSeconds(2));

    assertBad(parser, "999ms");
    assertGood(Duration.ofSeconds(1), parser, "1s");
    assertGood(Duration.ofSeconds(2), parser, "2s");
    assertBad(parser, "2001ms");
  }

  @Test
  void readsNumbersWithinTheirBounds() {
    assertGood(0, Parsers.integer(0, 9), "0");
    assertGood(-3, Parsers.integer(-3, 9), "-3");
    assertGood(Long.MAX_VALUE, Parsers.whole(0, Long.MAX_VALUE), "9223372036854775807");
    for (var text : List.of("", "10", "-1", "+1", "1.0", "0x1", " 1", "99999999999999999999")) {
      assertBad(Parsers.integer(0, 9), text);
    }
  }

  @Test
  void readsTextsSwitchesMemoryAndPaths() {
    assertGood("a b", Parsers.text(), "a b");
    assertBad(Parsers.text(), " ");
    assertGood(true, Parsers.bool(), "true");
    assertBad(Parsers.bool(), "yes");
    assertGood(Memory.ofGib(2), Parsers.memory(), "2Gi");
    assertBad(Parsers.memory(), "2G");
    assertGood(Path.of("/a/b"), Parsers.path(), "/a/b");
    assertBad(Parsers.path(), "a\0b");
    assertBad(Parsers.path(), "");
  }

  @Test
  void readsAddresses() {
    assertGood(new HostPort("", 9400), Parsers.hostPort(), ":9400");
    assertGood(new HostPort("127.0.0.1", 0), Parsers.hostPort(), "127.0.0.1:0");
    assertGood(new HostPort("::1", 80), Parsers.hostPort(), "[::1]:80");
    for (var text : List.of("", "9400", "a", "a:", "::1:80", "[]:1", "a:65536", "a:-1", "a b:1")) {
      assertBad(Parsers.hostPort(), text);
    }
    assertEquals("[::1]:80", new HostPort("::1", 80).toString());
    assertEquals(9400, new HostPort("", 9400).address().getPort());
  }

  @Test
  void readsLists() {
    var parser = Parsers.list(Parsers.integer(0, 9));

    assertGood(List.of(1, 2, 3), parser, "1,2,3");
    assertGood(List.of(), parser, "");
    assertBad(parser, "1,,2");
    assertBad(parser, "1, 2");
    assertBad(parser, "1,");
  }

  @Test
  void readsAnEnumsNamesInLowerCaseWithHyphens() {
    var parser = Parsers.choice(Policy.class);

    assertGood(Policy.BEST_FIT, parser, "best-fit");
    assertBad(parser, "BEST_FIT");
    assertEquals("one of best-fit, spread", parser.form());
  }

  @Test
  void readsNothingAsNothing() {
    var parser = Parsers.optional(Parsers.integer(0, 9));

    assertGood(Optional.empty(), parser, "");
    assertGood(Optional.of(3), parser, "3");
    assertBad(parser, "x");
  }

  private static <T> void assertGood(T value, Parser<T> parser, String text) {
    assertEquals(new Reading.Good<>(value), parser.parse(text));
  }

  private static void assertBad(Parser<?> parser, String text) {
    assertInstanceOf(Reading.Bad.class, parser.parse(text), text);
  }
}
