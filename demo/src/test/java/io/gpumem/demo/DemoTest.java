package io.gpumem.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.demo.process.Binaries;
import io.gpumem.demo.scenario.Console;
import io.gpumem.platform.life.ExitCode;
import io.gpumem.platform.life.Life;
import io.gpumem.platform.life.fake.RecordedFaults;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The demonstration itself, with the binaries on this test's class path. */
final class DemoTest {

  private static final Duration AMPLE = Duration.ofMinutes(3);
  private static final Duration NONE = Duration.ZERO;

  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private final Life life = new Life();

  @AfterEach
  void end() {
    life.stop();
  }

  @Test
  void endsWithEqualBooksAndLeavesNothingBehind() throws Exception {
    Demo demo = demo(AMPLE);

    int code = demo.run(false);
    life.stop();

    assertEquals(ExitCode.OK, code, this::text);
    assertTrue(text().contains("All equal."), this::text);
    assertFalse(Files.exists(demo.place().root()), "the run's folder is gone");
    assertEquals(0, childrenAlive(), "no process outlives the run");
  }

  @Test
  void namesTheLogsWhenSomethingIsLate() throws Exception {
    Demo demo = demo(NONE);

    int code = demo.run(false);
    life.stop();

    Path logs = demo.place().logs();
    try {
      assertEquals(ExitCode.FAILED, code, this::text);
      assertTrue(text().contains(logs.toString()), this::text);
      assertTrue(Files.exists(logs.resolve("extender.log")), "the logs are kept");
      assertFalse(Files.exists(demo.place().root().resolve("kubeconfig")), "all else is gone");
      assertEquals(0, childrenAlive(), "no process outlives the run");
    } finally {
      delete(demo.place().root());
    }
  }

  private Demo demo(Duration patience) throws IOException {
    Console console = new Console(new PrintStream(shown, true, StandardCharsets.UTF_8));
    return new Demo(life, new RecordedFaults(), Binaries.ofThisProcess(), console, patience);
  }

  private String text() {
    return shown.toString(StandardCharsets.UTF_8);
  }

  private static long childrenAlive() {
    return ProcessHandle.current().descendants().filter(ProcessHandle::isAlive).count();
  }

  private static void delete(Path root) throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(root)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }
}
