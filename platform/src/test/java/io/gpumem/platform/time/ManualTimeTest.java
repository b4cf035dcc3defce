package io.gpumem.platform.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.time.fake.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ManualTimeTest {

  private final ManualTime time = new ManualTime();
  private final List<String> ran = new ArrayList<>();

  @Test
  void runsWhatIsDueInTheOrderOfDueTimesThenOfScheduling() {
    schedule(3, "late");
    schedule(1, "first of two");
    schedule(1, "second of two");
    schedule(9, "not yet");

    time.advance(Duration.ofSeconds(3));

    assertEquals(List.of("first of two", "second of two", "late"), ran);
    assertEquals(1, time.waiting());
    assertEquals(Optional.of(Duration.ofSeconds(6)), time.untilNext());
  }

  @Test
  void showsEachTaskItsOwnDueTime() {
    long start = time.wallMillis();
    time.schedule(Duration.ofMillis(700), () -> ran.add("at " + (time.wallMillis() - start)));

    time.advance(Duration.ofSeconds(2));

    assertEquals(List.of("at 700"), ran);
    assertEquals(start + 2_000, time.wallMillis());
    assertEquals(2_000_000_000L, time.monotonicNanos());
  }

  @Test
  void runsTasksThatTasksScheduleWithinTheSameAdvance() {
    time.schedule(Duration.ofSeconds(1), () -> schedule(1, "again"));

    time.advance(Duration.ofSeconds(2));

    assertEquals(List.of("again"), ran);
  }

  @Test
  void cancelsOnlyWhatStillWaits() {
    var cancelled = time.schedule(Duration.ofSeconds(1), () -> ran.add("cancelled"));
    var done = time.schedule(Duration.ofSeconds(1), () -> ran.add("done"));

    assertTrue(cancelled.cancel());
    assertFalse(cancelled.cancel());
    time.advance(Duration.ofSeconds(1));

    assertEquals(List.of("done"), ran);
    assertFalse(done.cancel());
  }

  @Test
  void refusesToGoBack() {
    assertThrows(IllegalArgumentException.class, () -> time.advance(Duration.ofNanos(-1)));
    assertThrows(
        IllegalArgumentException.class, () -> time.schedule(Duration.ofNanos(-1), () -> {}));
  }

  @Test
  void throwsWhatATaskThrows() {
    time.schedule(
        Duration.ZERO,
        () -> {
          throw new IllegalStateException("broken");
        });

    var thrown = assertThrows(IllegalStateException.class, () -> time.advance(Duration.ZERO));

    assertEquals("broken", thrown.getMessage());
  }

  @Test
  void noticesATaskThatSchedulesItselfWithoutADelay() {
    var again =
        new Runnable() {
          @Override
          public void run() {
            time.schedule(Duration.ZERO, this);
          }
        };
    time.schedule(Duration.ZERO, again);

    assertThrows(IllegalStateException.class, () -> time.advance(Duration.ZERO));
  }

  private void schedule(int seconds, String name) {
    time.schedule(Duration.ofSeconds(seconds), () -> ran.add(name));
  }
}
