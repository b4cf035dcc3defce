package io.gpumem.extender;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.cluster.fake.StandInApiServer;
import io.gpumem.platform.life.Invocation;
import io.gpumem.platform.life.Life;
import io.gpumem.platform.life.Program;
import io.gpumem.platform.life.fake.RecordedFaults;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MainTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Life life = new Life();

  private int run(RecordedFaults faults, String... args) {
    var stream = new PrintStream(out, true, UTF_8);
    var invocation = new Invocation(List.of(args), Map.of(), stream, stream, life, faults);
    return Program.call(invocation, Main::run);
  }

  @Test
  void printsItsOptions() {
    try (var faults = new RecordedFaults()) {
      assertEquals(0, run(faults, "--help"));
      assertTrue(out.toString(UTF_8).contains("--bind-timeout"));
    }
  }

  @Test
  void refusesAnUnknownOptionBeforeAnythingStarts() {
    try (var faults = new RecordedFaults()) {
      assertEquals(2, run(faults, "--polcy=spread"));
      assertTrue(out.toString(UTF_8).contains("did you mean --policy?"));
    }
  }

  @Test
  void runsUntilItIsToldToEnd() throws Exception {
    try (var faults = new RecordedFaults();
        var api = StandInApiServer.start()) {
      var process =
          new FutureTask<>(
              () ->
                  run(
                      faults,
                      "--api-url=" + api.url(),
                      "--listen=127.0.0.1:0",
                      "--log-level=error"));
      Thread.ofPlatform().daemon().start(process);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (api.openWatches() < 2) {
        assertTrue(System.nanoTime() < end, "two watches within 30 s");
        assertFalse(process.isDone());
        Thread.onSpinWait();
      }
      life.end(0, "the test is over");
      assertEquals(0, process.get(30, TimeUnit.SECONDS));
      assertTrue(life.ended());
    }
  }

  @Test
  void failsWhenItsPortIsTaken() throws Exception {
    try (var faults = new RecordedFaults();
        var api = StandInApiServer.start();
        var taken = new ServerSocket(0)) {
      assertEquals(
          1,
          run(
              faults,
              "--api-url=" + api.url(),
              "--listen=:" + taken.getLocalPort(),
              "--log-level=error"));
      assertEquals(0, api.openWatches());
    }
  }
}
