package io.gpumem.platform.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gpumem.platform.life.fake.RecordedFaults;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessFaultsTest {

  private final RuntimeException cause = new RuntimeException("cause");

  private final Life life = new Life();
  private final CompletableFuture<Integer> halted = new CompletableFuture<>();
  private final ProcessFaults faults =
      new ProcessFaults(life, halted::complete, Duration.ofMillis(20));

  @Test
  void endsTheLifeOfAProcessWithAFatalFault() throws Exception {
    faults.fatal("broken", cause);

    assertEquals(ExitCode.FAILED, life.awaitEnd());
    life.stop();
  }

  @Test
  void haltsAProcessThatDoesNotStop() throws Exception {
    faults.fatal("broken", cause);

    // Nobody calls life.stop(): this is the start method that hangs.
    assertEquals(ExitCode.FAILED, halted.get(20, TimeUnit.SECONDS));
  }

  @Test
  void outlivesAndCountsANonFatalFault() {
    faults.nonFatal("odd", cause);
    faults.nonFatal("odd", cause);

    assertFalse(life.ended());
    assertEquals(2, faults.nonFatalCount());
  }

  @Test
  void failsATestThatLeavesARecordedFaultUnread() {
    var recorded = new RecordedFaults();
    recorded.fatal("broken", cause);

    var thrown = assertThrows(AssertionError.class, recorded::close);

    assertEquals(cause, thrown.getCause());
    recorded.close();
  }
}
