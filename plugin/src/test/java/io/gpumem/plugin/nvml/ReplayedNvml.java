package io.gpumem.plugin.nvml;

import io.gpumem.plugin.nvml.fake.Health;
import io.gpumem.plugin.nvml.fake.Machine;
import io.gpumem.plugin.nvml.fake.MachineFile;
import io.gpumem.plugin.nvml.fake.SimulatedGpu;
import io.gpumem.plugin.nvml.fake.SimulatedMemory;
import io.gpumem.plugin.nvml.fake.SimulatedMigDevice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An NVML library of C with a machine behind it: {@code src/test/c/nvml.c}, built once per variant
 * and copied per test, for the loader knows a library by its file and each test needs its own.
 */
final class ReplayedNvml {

  /** The compiler's switches, for what an old driver's library lacks. */
  enum Variant {
    NEW(List.of()),
    WITHOUT_MEMORY_V2(List.of("-DNO_MEMORY_V2")),
    WITHOUT_OPTIONAL(List.of("-DNO_MEMORY_V2", "-DNO_FIELD_VALUES", "-DNO_MIG"));

    private final List<String> switches;

    Variant(List<String> switches) {
      this.switches = switches;
    }
  }

  private static final Map<Variant, Path> BUILT = new ConcurrentHashMap<>();

  private final Path folder;
  private final Map<String, String> layout = new TreeMap<>();

  ReplayedNvml(Path folder, Variant variant) {
    this.folder = folder;
    try {
      Files.createDirectories(folder);
      Path built = BUILT.computeIfAbsent(variant, ReplayedNvml::build);
      Files.copy(built, library(), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static Path build(Variant variant) {
    Path library = Path.of("target", "replayed-nvml", variant + ".so");
    List<String> command = new ArrayList<>(List.of("gcc", "-std=c11", "-shared", "-fPIC", "-O1"));
    command.addAll(List.of("-Wall", "-Wextra", "-Werror", "-fvisibility=hidden"));
    command.addAll(variant.switches);
    command.addAll(
        List.of("-Wl,-Bsymbolic", "-o", library.toString(), "src/test/c/nvml.c", "-ldl"));
    try {
      Files.createDirectories(library.getParent());
      Process gcc = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = gcc.waitFor();
      if (code != 0) {
        throw new IllegalStateException("expected gcc to build the library but it said: " + said);
      }
      return library;
    } catch (IOException absent) {
      throw new UncheckedIOException("these tests need gcc", absent);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  Path library() {
    return folder.resolve(LibrarySearch.NAME);
  }

  NvmlPlaces places() {
    return new NvmlPlaces(
        Optional.of(library()), Path.of("/nowhere"), folder.resolve("sys"), folder.resolve("proc"));
  }

  NvmlGpuSource source() {
    return new NvmlGpuSource(places());
  }

  /** Shows the machine of a machine file, in the driver's order and with its kernel files. */
  ReplayedNvml become(String machineFile) {
    return switch (MachineFile.parse(machineFile)) {
      case MachineFile.Parsed.Good(var machine) -> become(machine);
      case MachineFile.Parsed.Refusal(var why) -> throw new IllegalArgumentException(why);
    };
  }

  ReplayedNvml become(Machine machine) {
    layout.clear();
    layout.put("init", init(machine.driver()));
    layout.put("driver", Machine.DRIVER_VERSION);
    layout.put("nvml", "13.580.159.04");
    layout.put("hang", machine.hangs() ? "1" : "0");
    List<SimulatedGpu> listed =
        machine.gpus().stream().filter(gpu -> !(gpu.health() instanceof Health.Removed)).toList();
    layout.put("gpus", String.valueOf(listed.size()));
    for (int index = 0; index < listed.size(); index++) {
      gpu("gpu." + index, listed.get(index));
    }
    kernelFiles(listed);
    return write();
  }

  private static String init(Machine.Driver driver) {
    return switch (driver) {
      case LOADED -> "0";
      case NOT_LOADED -> "9";
      case MISMATCH -> "18";
    };
  }

  private void gpu(String at, SimulatedGpu gpu) {
    layout.put(at + ".uuid", gpu.uuid().text());
    layout.put(at + ".name", gpu.model());
    layout.put(at + ".minor", String.valueOf(gpu.minor()));
    layout.put(at + ".bus", driverForm(gpu.bus()));
    layout.put(at + ".mig", gpu.mig().isPresent() ? "1" : "0");
    layout.put(at + ".recovery", gpu.health() instanceof Health.Broken ? "1" : "0");
    if (gpu.health() instanceof Health.Lost) {
      layout.put("code.nvmlDeviceGetHandleByIndex_v2." + at, "15");
    }
    memory(at, gpu.memory());
    for (SimulatedMigDevice device : gpu.mig().orElse(List.of())) {
      if (!(device.health() instanceof Health.Removed)) {
        migDevice(at, gpu, device);
      }
    }
  }

  private static String driverForm(PciAddress bus) {
    return "%08X:%02X:%02X.%X".formatted(bus.domain(), bus.bus(), bus.device(), bus.function());
  }

  private void migDevice(String parent, SimulatedGpu gpu, SimulatedMigDevice device) {
    String at = parent + ".slot." + device.slot();
    layout.put(at + ".uuid", device.uuid().text());
    layout.put(at + ".name", gpu.model() + " MIG " + device.profile());
    layout.put(at + ".gi", String.valueOf(device.gpuInstance()));
    layout.put(at + ".ci", String.valueOf(device.computeInstance()));
    if (device.health() instanceof Health.Broken) {
      layout.put("code.nvmlDeviceGetMemoryInfo_v2." + at, "16");
    }
    memory(at, device.memory());
  }

  private void memory(String at, SimulatedMemory memory) {
    layout.put(at + ".total", String.valueOf(memory.total().orElse(0)));
    layout.put(at + ".reserved", String.valueOf(memory.reserved()));
    layout.put(at + ".used", String.valueOf(memory.used()));
  }

  private void kernelFiles(List<SimulatedGpu> gpus) {
    StringBuilder minors = new StringBuilder("config 1\nmonitor 2\n");
    delete(folder.resolve("sys"));
    for (SimulatedGpu gpu : gpus) {
      pciDevice(gpu.bus().toString(), "0x030200", gpu.numa().orElse(-1), "nvidia");
      for (SimulatedMigDevice device : gpu.mig().orElse(List.of())) {
        String instance = "gpu" + gpu.minor() + "/gi" + device.gpuInstance();
        int first = 3 + 135 * gpu.minor() + 9 * device.gpuInstance();
        int compute = device.computeInstance();
        minors.append(instance).append("/access ").append(first).append('\n');
        minors.append(instance).append("/ci").append(compute).append("/access ");
        minors.append(first + 1 + compute).append('\n');
      }
    }
    text(folder.resolve("proc/driver/nvidia-caps/mig-minors"), minors.toString());
    text(
        folder.resolve("proc/driver/nvidia/version"),
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  575.57.08  Release Build\n");
  }

  /** A PCI device of NVIDIA's in the kernel's list. */
  void pciDevice(String address, String type, int numa, String driver) {
    Path device = folder.resolve("sys/bus/pci/devices").resolve(address);
    text(device.resolve("vendor"), "0x10de\n");
    text(device.resolve("class"), type + "\n");
    text(device.resolve("numa_node"), numa + "\n");
    try {
      Files.createSymbolicLink(
          device.resolve("driver"), Path.of("../../../../bus/pci/drivers", driver));
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /** Changes one line of what the library replays. */
  ReplayedNvml put(String key, Object value) {
    layout.put(key, String.valueOf(value));
    return write();
  }

  ReplayedNvml remove(String prefix) {
    layout.keySet().removeIf(key -> key.startsWith(prefix));
    return write();
  }

  /** The names of all calls so far, in order. */
  List<String> calls() {
    return TextFile.lines(folder.resolve("calls.txt"));
  }

  private ReplayedNvml write() {
    StringBuilder lines = new StringBuilder();
    layout.forEach((key, value) -> lines.append(key).append('=').append(value).append('\n'));
    try {
      Path next = folder.resolve("layout.next");
      Files.writeString(next, lines);
      Files.move(next, folder.resolve("layout.txt"), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
    return this;
  }

  private static void text(Path file, String text) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
