package io.gpumem.demo.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.demo.scenario.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The CUDA program itself, with a CUDA driver that has made-up GPUs. */
final class ProbeTest {

  private static final String FIRST = "GPU-00000000-0000-0000-0000-000000000000";
  private static final String THIRD = "GPU-00000002-0000-0000-0000-000000000000";

  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  @TempDir Path folder;
  private Probe probe;

  @BeforeEach
  void build() throws Exception {
    probe = new Probe(folder, new Console(new PrintStream(shown, true, StandardCharsets.UTF_8)));
    Files.createDirectory(folder.resolve("dev"));
    gcc("src/hardware/cuda-probe.c", "cuda-probe", "-ldl");
    gcc("src/test/c/libcuda.c", "libcuda.so.1", "-shared", "-fPIC");
  }

  @Test
  void namesEachGpuWhoseNodeIsThere() throws Exception {
    node("nvidia0");
    node("nvidia2");
    Sight sight = run(Map.of()).orElseThrow();
    assertEquals(List.of(FIRST, THIRD), sight.uuids());
    assertTrue(sight.isUsed());
    assertEquals("Made-up GPU 2", sight.gpus().getLast().name());
  }

  @Test
  void seeingNoGpuIsAnAnswer() throws Exception {
    node("nvidiactl");
    assertEquals(Optional.of(new Sight(100, 13000, List.of())), run(Map.of()));
  }

  @Test
  void handsOnTheVariableByWhichCudaChooses() throws Exception {
    node("nvidia0");
    node("nvidia2");
    var chosen = run(Map.of("CUDA_VISIBLE_DEVICES", THIRD)).orElseThrow();
    assertEquals(List.of(THIRD), chosen.uuids());
    assertTrue(shown.toString(StandardCharsets.UTF_8).contains("CUDA_VISIBLE_DEVICES=" + THIRD));
  }

  @Test
  void aProgramThatFailsGivesNoAnswerAndIsShown() throws Exception {
    String said = "init=0 driver=13000 devices=0";
    var failing = List.of("/bin/sh", "-c", "echo " + said + "; exit 4");
    assertEquals(Optional.empty(), probe.run(failing, Map.of()));
    assertTrue(shown.toString(StandardCharsets.UTF_8).contains(said));
    assertTrue(shown.toString(StandardCharsets.UTF_8).contains("exit code 4"));
  }

  private Optional<Sight> run(Map<String, String> variables)
      throws IOException, InterruptedException {
    var all = new TreeMap<>(variables);
    all.put("LD_LIBRARY_PATH", folder.toString());
    all.put("FAKE_DEV", folder.resolve("dev").toString());
    return probe.run(List.of(folder.resolve("cuda-probe").toString()), all);
  }

  private void node(String name) throws IOException {
    Files.createFile(folder.resolve("dev").resolve(name));
  }

  private void gcc(String source, String target, String... options) throws Exception {
    var command = new ArrayList<>(List.of("gcc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"));
    command.addAll(List.of("-o", folder.resolve(target).toString(), source));
    command.addAll(List.of(options));
    Process gcc = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, gcc.waitFor(), said);
  }
}
