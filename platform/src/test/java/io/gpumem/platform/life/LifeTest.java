package io.gpumem.platform.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class LifeTest {

  private final Life life = new Life();
  private final List<String> events = new CopyOnWriteArrayList<>();

  @Test
  void startsInOrderAndStopsOnceInReverse() throws Exception {
    life.start("a", part("a"));
    var _ = life.own("b", () -> events.add("close b"));
    life.start("c", part("c"));

    life.stop();
    life.stop();

    assertEquals(List.of("start a", "start c", "stop c", "close b", "stop a"), events);
    assertTrue(life.awaitStopped(Duration.ZERO));
  }

  @Test
  void keepsNoPartThatFailedToStart() throws Exception {
    life.start("a", part("a"));

    assertThrows(
        IOException.class,
        () ->
            life.start(
                "b",
                new Part() {
                  @Override
                  public void start() throws IOException {
                    throw new IOException("no port");
                  }

                  @Override
                  public void stop() {
                    events.add("stop b");
                  }
                }));
    life.stop();

    assertEquals(List.of("start a", "stop a"), events);
  }

  @Test
  void stopsTheOthersWhenOneFailsToStop() throws Exception {
    life.start("a", part("a"));
    var _ =
        life.own(
            "b",
            () -> {
              throw new AssertionError("broken");
            });

    life.stop();

    assertEquals(List.of("start a", "stop a"), events);
  }

  @Test
  void leavesAPartBehindWhoseStopHangs() throws Exception {
    var interrupted = new CountDownLatch(1);
    life.start("a", part("a"));
    life.start(
        "b",
        Duration.ofMillis(50),
        new Part() {
          @Override
          public void start() {}

          @Override
          public void stop() {
            try {
              new CountDownLatch(1).await();
            } catch (InterruptedException e) {
              interrupted.countDown();
            }
          }
        });

    life.stop();

    assertEquals(List.of("start a", "stop a"), events);
    assertTrue(interrupted.await(10, TimeUnit.SECONDS));
  }

  @Test
  void takesItsExitCodeFromTheFirstEnd() throws Exception {
    assertFalse(life.ended());

    life.end(7, "first");
    life.end(8, "second");

    assertTrue(life.ended());
    assertEquals(7, life.awaitEnd());
  }

  @Test
  void startsNothingAfterTheEnd() {
    life.end(ExitCode.OK, "test");

    assertThrows(LifeEnded.class, () -> life.start("a", part("a")));
    assertEquals(List.of(), events);
  }

  @Test
  void interruptsAStartThatTheEndOvertakes() throws Exception {
    var inStart = new CountDownLatch(1);
    var ender =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    inStart.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                  life.end(ExitCode.OK, "test");
                });

    assertThrows(
        InterruptedException.class,
        () ->
            life.start(
                "slow",
                new Part() {
                  @Override
                  public void start() throws InterruptedException {
                    inStart.countDown();
                    new CountDownLatch(1).await();
                  }

                  @Override
                  public void stop() {}
                }));

    ender.join();
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  void addsTheStopLimitsOfItsParts() throws Exception {
    life.start("a", part("a"));
    life.start("b", Duration.ofSeconds(3), part("b"));

    assertEquals(Duration.ofSeconds(8), life.stopLimit());
  }

  private Part part(String name) {
    return new Part() {
      @Override
      public void start() {
        events.add("start " + name);
      }

      @Override
      public void stop() {
        events.add("stop " + name);
      }
    };
  }
}
