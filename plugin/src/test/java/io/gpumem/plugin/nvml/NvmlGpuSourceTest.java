package io.gpumem.plugin.nvml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract through the C ABI, and what only a library has. */
final class NvmlGpuSourceTest extends GpuSourceContract {

  private final List<ReplayedNvml> open = new ArrayList<>();

  private ReplayedNvml replayed() {
    if (open.isEmpty()) {
      open.add(new ReplayedNvml(folder.resolve("replayed"), ReplayedNvml.Variant.NEW));
    }
    return open.getFirst();
  }

  @Override
  GpuSource open() {
    return replayed().source();
  }

  @Override
  void become(String machineFile) {
    replayed().become(machineFile);
  }

  @Test
  void pairsEveryStartWithAnEnd() {
    try (GpuSource first = open()) {
      first.scan();
      first.scan();
      assertEquals(1, started());
      assertEquals(0, ended());
    }
    assertEquals(1, ended());
  }

  @Test
  void beginsAfreshAfterALossAndStaysStartedWhileAllIsWell() {
    try (GpuSource gpus = open()) {
      gpus.scan();
      replayed().put("code.nvmlDeviceGetHandleByIndex_v2.gpu.1", 15);
      gpus.scan();
      assertEquals(1, ended());
      replayed().remove("code.");
      gpus.scan();
      gpus.scan();
      assertEquals(2, started());
      assertEquals(1, ended());
    }
    assertEquals(2, ended());
  }

  @Test
  void saysInOneLineWhereItLookedForTheLibrary() {
    NvmlPlaces nowhere = new NvmlPlaces(Optional.empty(), folder, folder, folder);
    try (GpuSource gpus = new NvmlGpuSource(nowhere)) {
      assertEquals(
          new Scan.DriverNotLoaded("there is no libnvidia-ml.so.1 under " + folder), gpus.scan());
    }
  }

  @Test
  void saysInOneLineThatAFileIsNoLibrary() throws Exception {
    Path file = Files.writeString(folder.resolve("libnvidia-ml.so.1"), "no library\n".repeat(20));
    NvmlPlaces broken = new NvmlPlaces(Optional.of(file), folder, folder, folder);
    try (GpuSource gpus = new NvmlGpuSource(broken)) {
      Scan.Failed failed = assertInstanceOf(Scan.Failed.class, gpus.scan());
      assertEquals(12, failed.code());
      assertEquals(1, failed.text().lines().count());
      assertTrue(failed.text().contains("invalid ELF header"), failed::text);
    }
  }

  @Test
  void followsAnAbsoluteLinkInsideTheDriverRoot() throws Exception {
    Path root = folder.resolve("driver-root");
    Path real = root.resolve("usr/lib/nvidia/current");
    Path links = root.resolve("usr/lib/x86_64-linux-gnu");
    Files.createDirectories(real);
    Files.createDirectories(links);
    Files.copy(replayed().library(), real.resolve("libnvidia-ml.so.1"));
    Files.createSymbolicLink(
        links.resolve("libnvidia-ml.so.1"), Path.of("/usr/lib/nvidia/current/libnvidia-ml.so.1"));

    assertEquals(Optional.of(real.resolve("libnvidia-ml.so.1")), LibrarySearch.under(root));
  }

  @Test
  void findsTheLibraryOfADriverContainer() throws Exception {
    Path container = folder.resolve("run/nvidia/driver/usr/lib64");
    Files.createDirectories(container);
    Path library = Files.copy(replayed().library(), container.resolve("libnvidia-ml.so.1"));

    assertEquals(Optional.of(library), LibrarySearch.under(folder));
  }

  @Test
  void doesWithoutEverythingThatIsOptional() {
    ReplayedNvml old =
        new ReplayedNvml(folder.resolve("old"), ReplayedNvml.Variant.WITHOUT_OPTIONAL);
    old.become("{\"v\":1,\"profile\":\"t4\"}");
    try (GpuSource gpus = old.source()) {
      Scan.Seen seen = assertInstanceOf(Scan.Seen.class, gpus.scan());
      GpuFacts card = seen.devices().getFirst();
      assertEquals("15Gi", card.total().orElseThrow().toString());
      assertEquals("0Mi", card.reserved().toString());
      assertEquals(Condition.WORKING, card.condition());
    }
  }

  @Test
  void failsWithTheNumberOfACodeNobodyKnows() {
    replayed().put("init", 4711);
    try (GpuSource gpus = open()) {
      Scan.Failed failed = assertInstanceOf(Scan.Failed.class, gpus.scan());
      assertEquals(4711, failed.code());
      assertTrue(failed.text().contains("NVML 4711"), failed::text);
    }
  }

  private long started() {
    return replayed().calls().stream().filter("nvmlInit_v2"::equals).count();
  }

  private long ended() {
    return replayed().calls().stream().filter("nvmlShutdown"::equals).count();
  }
}
