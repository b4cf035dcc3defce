package io.gpumem.platform.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import tools.jackson.databind.json.JsonMapper;

class LoggingTest {

  private static final Logger log = LoggerFactory.getLogger(LoggingTest.class);

  private final Writes writes = new Writes();

  @AfterEach
  void restore() {
    Logging.configure(LogFormat.TEXT, Level.INFO);
  }

  @Test
  void isWhatSlf4jFinds() {
    assertInstanceOf(LineLogger.class, log);
  }

  @Test
  void writesAFluentEventInOneCall() {
    configure(LogFormat.TEXT, Level.INFO);

    log.atWarn()
        .addKeyValue(LogKeys.POD, "ns/a")
        .addKeyValue(LogKeys.DEVICE, () -> "GPU-1")
        .log("refused");

    assertEquals(
        List.of("2026-12-01T00:00:00.000Z WARN  LoggingTest: refused pod=ns/a device=GPU-1\n"),
        writes.all);
  }

  @Test
  void fillsInTheParametersOfLibraries() {
    configure(LogFormat.TEXT, Level.INFO);

    log.info("{} of {}", 1, 2);
    log.error("failed {}", "x", new RuntimeException("cause"));

    assertEquals("2026-12-01T00:00:00.000Z INFO  LoggingTest: 1 of 2\n", writes.all.getFirst());
    assertTrue(writes.all.getLast().contains("failed x\n    java.lang.RuntimeException: cause\n"));
  }

  @Test
  void asksForNothingWhenTheLevelIsOff() {
    configure(LogFormat.TEXT, Level.INFO);

    log.atDebug().addKeyValue("x", () -> fail("expected no value to be asked for")).log("off");
    log.debug("off {}", new Object[] {"x"});

    assertEquals(List.of(), writes.all);
  }

  @Test
  void followsTheLevelOfTheMoment() {
    configure(LogFormat.TEXT, Level.ERROR);
    log.warn("off");
    configure(LogFormat.TEXT, Level.TRACE);
    log.trace("on");

    assertEquals(1, writes.all.size());
  }

  @Test
  void bridgesJavaUtilLogging() {
    configure(LogFormat.TEXT, Level.INFO);
    var jul = java.util.logging.Logger.getLogger("some.library.Thing");

    jul.info("plain");
    jul.log(java.util.logging.Level.WARNING, "with {0}", "parameter");
    jul.fine("off");

    assertEquals(
        List.of(
            "2026-12-01T00:00:00.000Z INFO  Thing: plain\n",
            "2026-12-01T00:00:00.000Z WARN  Thing: with parameter\n"),
        writes.all);
  }

  @Test
  void bridgesTheJdksOwnLogger() {
    configure(LogFormat.TEXT, Level.DEBUG);

    System.getLogger("jdk.thing.Part").log(System.Logger.Level.DEBUG, "from the JDK");

    assertEquals(List.of("2026-12-01T00:00:00.000Z DEBUG Part: from the JDK\n"), writes.all);
  }

  @Test
  void quietensTheLibrariesThatSayTooMuch() {
    configure(LogFormat.TEXT, Level.TRACE);

    for (var name : List.of("io.grpc.Context", "io.fabric8.kubernetes.X", "io.netty.util.X")) {
      LoggerFactory.getLogger(name).info("off");
      java.util.logging.Logger.getLogger(name).info("off");
    }
    LoggerFactory.getLogger("io.netty.bootstrap.ServerBootstrap").warn("off");
    java.util.logging.Logger.getLogger("io.netty.bootstrap.Bootstrap").warning("off");
    assertEquals(List.of(), writes.all);

    LoggerFactory.getLogger("io.grpc.Context").warn("on");
    java.util.logging.Logger.getLogger("io.netty.bootstrap.Bootstrap").severe("on");
    LoggerFactory.getLogger("io.grpcish.Thing").info("on");
    assertEquals(3, writes.all.size());
  }

  @Test
  void toleratesALogRecordWithoutANameOrAMessage() {
    configure(LogFormat.TEXT, Level.INFO);

    var record = new LogRecord(java.util.logging.Level.INFO, null);
    Arrays.stream(java.util.logging.Logger.getLogger("").getHandlers())
        .forEach(handler -> handler.publish(record));

    assertEquals(List.of("2026-12-01T00:00:00.000Z INFO  : null\n"), writes.all);
  }

  @Test
  void mixesNoLinesOfThreads() throws InterruptedException {
    configure(LogFormat.JSON, Level.INFO);
    var threads = new ArrayList<Thread>();
    for (int thread = 0; thread < 8; thread++) {
      var name = "t" + thread;
      threads.add(Thread.ofPlatform().start(() -> logMany(name)));
    }
    for (var thread : threads) {
      thread.join();
    }

    var seen = new HashSet<String>();
    for (var line : writes.all) {
      var json = JsonMapper.shared().readTree(line);
      assertEquals(line.length() - 1, line.indexOf('\n'));
      seen.add(json.get("thread").asString() + json.get("number").asInt());
    }
    assertEquals(8 * 200, writes.all.size());
    assertEquals(8 * 200, seen.size());
  }

  @Test
  void countsLinesThatItCouldNotWrite() {
    var closed =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("closed");
          }
        };
    Logging.configure(LogFormat.TEXT, Level.INFO, closed, () -> Instant.EPOCH);

    log.info("lost");

    assertEquals(1, Logging.lostLines());
  }

  private static void logMany(String thread) {
    for (int number = 0; number < 200; number++) {
      log.atInfo().addKeyValue("thread", thread).addKeyValue("number", number).log("tick");
    }
  }

  private void configure(LogFormat format, Level level) {
    Logging.configure(format, level, writes, () -> Instant.parse("2026-12-01T00:00:00Z"));
  }

  /** Keeps every write apart. Needs no lock of its own: the sink has one. */
  private static final class Writes extends OutputStream {

    private final List<String> all = new ArrayList<>();

    @Override
    public void write(int b) {
      throw new AssertionError("expected whole lines");
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
      all.add(new String(bytes, from, length, UTF_8));
    }
  }
}
