package io.gpumem.platform.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DoublingPauseTest {

  private static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofMillis(500);

  private final DoublingPause pause = new DoublingPause(FIRST, LONGEST);

  @Test
  void doublesUpToTheLongest() {
    assertEquals(List.of(100L, 200L, 400L, 500L, 500L), millis(5));
  }

  @Test
  void beginsAgainAfterAReset() {
    millis(4);
    pause.reset();
    assertEquals(List.of(100L, 200L), millis(2));
  }

  @Test
  void refusesPausesThatWouldNeverGrowOrAreNone() {
    assertThrows(IllegalArgumentException.class, () -> new DoublingPause(Duration.ZERO, LONGEST));
    assertThrows(IllegalArgumentException.class, () -> new DoublingPause(LONGEST, FIRST));
    assertEquals(LONGEST, new DoublingPause(LONGEST, LONGEST).next());
  }

  private List<Long> millis(int count) {
    return Stream.generate(() -> pause.next().toMillis()).limit(count).toList();
  }
}
