package io.gpumem.platform.life;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.life.fake.RecordedFaults;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProgramTest {

  private final Life life = new Life();
  private final List<String> events = new ArrayList<>();

  @Test
  void returnsTheStartMethodsCode() {
    assertEquals(ExitCode.BAD_OPTIONS, call(invocation -> ExitCode.BAD_OPTIONS));
  }

  @Test
  void failsAndStopsPartsWhenTheStartMethodThrows() {
    int code =
        call(
            invocation -> {
              var _ = invocation.life().own("part", () -> events.add("closed"));
              throw new IOException("no kubelet");
            });

    assertEquals(ExitCode.FAILED, code);
    assertEquals(List.of("closed"), events);
  }

  @Test
  void returnsTheCodeOfAnEndThatCameDuringTheStart() {
    int code =
        call(
            invocation -> {
              invocation.life().end(ExitCode.OK, "signal");
              var _ = invocation.life().own("part", () -> events.add("closed"));
              invocation.life().start("late", new FailingPart());
              return invocation.life().awaitEnd();
            });

    assertEquals(ExitCode.OK, code);
    assertEquals(List.of("closed"), events);
  }

  @Test
  void exitsWithZeroAfterStoppingItsPartsOnSigterm() throws Exception {
    var process = launch("live");
    try (var out = process.inputReader(UTF_8)) {
      assertEquals("living", out.readLine());
      // SIGTERM; Process.destroy() would close the streams too.
      process.toHandle().destroy();
      assertEquals("stopped", out.readLine());
    }
    assertEquals(ExitCode.OK, exitCode(process));
  }

  @Test
  void endsTheProcessWhenTheStartMethodThrowsBesideLivingThreads() throws Exception {
    assertEquals(ExitCode.FAILED, exitCode(launch("throw")));
  }

  @Test
  void endsTheProcessWhenAThreadDies() throws Exception {
    var process = launch("die");
    assertEquals("stopped", allOf(process).getLast());
    assertEquals(ExitCode.FAILED, exitCode(process));
  }

  @Test
  void exitsWithTheReturnedCode() throws Exception {
    assertEquals(5, exitCode(launch("return")));
  }

  private int call(Program.StartMethod start) {
    var faults = new RecordedFaults();
    return Program.call(
        new Invocation(List.of(), Map.of(), System.out, System.err, life, faults), start);
  }

  private static Process launch(String what) throws IOException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var command =
        List.of(java, "-cp", System.getProperty("java.class.path"), Sample.class.getName(), what);
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  private static List<String> allOf(Process process) throws IOException {
    try (BufferedReader out = process.inputReader(UTF_8)) {
      return out.lines().collect(Collectors.toList());
    }
  }

  private static int exitCode(Process process) throws InterruptedException {
    try {
      assertTrue(process.waitFor(30, TimeUnit.SECONDS), "expected the process to exit by itself");
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }

  private static final class FailingPart implements Part {
    @Override
    public void start() {
      throw new AssertionError("expected no start after the end");
    }

    @Override
    public void stop() {}
  }

  /** The process that the tests launch. */
  static final class Sample {

    private Sample() {}

    static void main(String[] args) {
      Program.launch(args, Sample::run);
    }

    private static int run(Invocation invocation) throws Exception {
      var life = invocation.life();
      var _ = life.own("part", () -> invocation.out().println("stopped"));
      // What a server leaves running: a thread that keeps the JVM alive.
      Thread.ofPlatform().start(Sample::waitForever);
      switch (invocation.args().getFirst()) {
        case "return" -> {
          return 5;
        }
        case "throw" -> throw new IllegalStateException("start fails");
        case "die" -> Thread.ofVirtual().start(Sample::fail);
        default -> invocation.out().println("living");
      }
      return life.awaitEnd();
    }

    private static void fail() {
      throw new IllegalStateException("thread fails");
    }

    private static void waitForever() {
      try {
        Thread.sleep(Long.MAX_VALUE);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
