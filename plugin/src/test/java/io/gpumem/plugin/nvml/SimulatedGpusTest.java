package io.gpumem.plugin.nvml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.plugin.nvml.fake.SimulatedGpus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The contract on the simulation, and what only a file has. */
final class SimulatedGpusTest extends GpuSourceContract {

  private final List<String> problems = new CopyOnWriteArrayList<>();

  @Override
  GpuSource open() {
    return new SimulatedGpus(file(), problems::add);
  }

  @Override
  void become(String machineFile) {
    try {
      Path next = Files.writeString(folder.resolve("next.json"), machineFile);
      Files.move(next, file(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private Path file() {
    return folder.resolve("machine.json");
  }

  @Test
  void keepsTheLastGoodStateAndTellsABrokenFileOnce() {
    try (GpuSource gpus = open()) {
      Scan good = gpus.scan();
      become("{\"v\":1,\"profile\":\"h200-x2\",\"hnag\":true}");
      assertEquals(good, gpus.scan());
      assertEquals(good, gpus.scan());
      assertEquals(
          List.of("the machine file " + file() + " is not taken: unknown key hnag"), problems);

      become("{\"v\":1,\"profile\":\"h200-x2\"}");
      assertEquals(good, gpus.scan());
      become("{\"v\":1,\"profile\":\"h200-x2\",\"hnag\":true}");
      gpus.scan();
      assertEquals(2, problems.size());
    }
  }

  @Test
  void keepsTheLastGoodStateWhenTheFileVanishes() throws IOException {
    try (GpuSource gpus = open()) {
      Scan good = gpus.scan();
      Files.delete(file());
      assertEquals(good, gpus.scan());
      assertEquals(good, gpus.scan());
      assertEquals(1, problems.size());
    }
  }

  @Test
  void failsUntilThereIsAGoodFile() {
    become("{\"v\":2}");
    try (GpuSource gpus = open()) {
      Scan.Failed failed = assertInstanceOf(Scan.Failed.class, gpus.scan());
      assertTrue(failed.text().contains("v: expected"), failed::text);
      become("{\"v\":1,\"profile\":\"t4\"}");
      assertInstanceOf(Scan.Seen.class, gpus.scan());
    }
  }

  @Test
  void endsAHangWhenItIsClosed() throws InterruptedException {
    become("{\"v\":1,\"profile\":\"t4\",\"hang\":true}");
    GpuSource gpus = open();
    Thread scanning = Thread.ofPlatform().daemon().start(gpus::scan);
    gpus.close();
    assertTrue(scanning.join(Duration.ofSeconds(20)));
  }
}
