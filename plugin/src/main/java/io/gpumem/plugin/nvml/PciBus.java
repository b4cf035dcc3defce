package io.gpumem.plugin.nvml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * The kernel's own list of PCI devices: what NVML is compared with, because a GPU whose device node
 * is blocked vanishes from NVML without an error. A part that can't be read is an empty answer.
 *
 * <p>The NUMA node is read here too and not by NVML's memory affinity: in a virtual machine the
 * affinity of an H200 said node 0 while the kernel said −1, which is to say that nobody knows.
 */
final class PciBus {

  /** A display or 3D controller of NVIDIA's, and the name of the kernel driver that has it. */
  record Gpu(PciAddress address, Optional<String> driver) {}

  private static final String NVIDIA = "0x10de";

  private final Path devices;

  PciBus(Path sysfs) {
    this.devices = sysfs.resolve("bus/pci/devices");
  }

  List<Gpu> gpus() {
    if (!Files.isDirectory(devices)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(devices)) {
      return entries
          .filter(PciBus::isGpu)
          .flatMap(
              entry ->
                  PciAddress.parse(entry.getFileName().toString()).stream()
                      .map(address -> new Gpu(address, driver(entry))))
          .sorted((one, other) -> one.address().compareTo(other.address()))
          .toList();
    } catch (IOException unreadable) {
      return List.of();
    }
  }

  /** Empty when the kernel knows no node (−1) or does not say: never node 0 for want of better. */
  OptionalInt numa(PciAddress address) {
    String text = TextFile.line(devices.resolve(address.toString()).resolve("numa_node"));
    try {
      int node = Integer.parseInt(text);
      return node < 0 ? OptionalInt.empty() : OptionalInt.of(node);
    } catch (NumberFormatException unknown) {
      return OptionalInt.empty();
    }
  }

  private static boolean isGpu(Path entry) {
    String type = TextFile.line(entry.resolve("class"));
    return TextFile.line(entry.resolve("vendor")).equals(NVIDIA)
        && (type.startsWith("0x0300") || type.startsWith("0x0302"));
  }

  private static Optional<String> driver(Path entry) {
    try {
      Path target = Files.readSymbolicLink(entry.resolve("driver"));
      return Optional.ofNullable(target.getFileName()).map(Path::toString);
    } catch (IOException unbound) {
      return Optional.empty();
    }
  }
}
