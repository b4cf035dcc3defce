package io.gpumem.platform.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.life.fake.RecordedFaults;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SystemTimeTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private final RecordedFaults faults = new RecordedFaults();
  private final SystemTime time = new SystemTime(faults);

  @AfterEach
  void close() {
    time.close();
    faults.close();
  }

  @Test
  void runsATaskOnADaemonThreadNotBeforeItsDelay() throws InterruptedException {
    long scheduled = time.monotonicNanos();
    var ranAt = new AtomicLong();
    var daemon = new AtomicBoolean();
    var ran = new CountDownLatch(1);

    time.schedule(
        Duration.ofMillis(20),
        () -> {
          ranAt.set(time.monotonicNanos());
          daemon.set(Thread.currentThread().isDaemon());
          ran.countDown();
        });

    await(ran);
    assertTrue(ranAt.get() - scheduled >= 20_000_000L);
    assertTrue(daemon.get());
  }

  @Test
  void reportsWhatATaskThrowsAndRunsTheNext() throws InterruptedException {
    var broken = new AssertionError("broken");
    var next = new CountDownLatch(1);

    time.schedule(
        Duration.ZERO,
        () -> {
          throw broken;
        });
    time.schedule(Duration.ZERO, next::countDown);

    await(next);
    var seen = faults.take();
    assertEquals(1, seen.size());
    assertEquals(broken, seen.getFirst().cause());
    assertFalse(seen.getFirst().isFatal());
    assertEquals(1, faults.nonFatalCount());
  }

  @Test
  void cancelsATaskOnce() {
    var task = time.schedule(HOUR, () -> {});

    assertTrue(task.cancel());
    assertFalse(task.cancel());
  }

  @Test
  void refusesMoreWaitingTasksThanAnyGoodUseNeeds() {
    assertThrows(
        IllegalStateException.class,
        () -> {
          for (int i = 0; i < 100_000; i++) {
            time.schedule(HOUR, () -> {});
          }
        });
  }

  @Test
  void takesNoTaskAfterItsEnd() {
    time.close();

    assertThrows(RejectedExecutionException.class, () -> time.schedule(HOUR, () -> {}));
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertTrue(latch.await(10, TimeUnit.SECONDS));
  }
}
