package io.gpumem.plugin.nvml;

import io.gpumem.plugin.nvml.NvmlCode.Meaning;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The GPUs of this node as NVML tells them.
 *
 * <p>NVML is initialized by the first scan and stays so while all is well, for on a node without
 * persistence mode the driver would otherwise tear the GPUs down and attach them anew at each scan,
 * which takes seconds. After a scan that found a GPU missing, unreadable or broken it is shut down,
 * and the next scan begins afresh: a lost GPU's handle stays bad, a new list of GPUs comes only
 * with a new start, and a GPU that this process holds open can't be reset by anybody.
 *
 * <p>The library stays mapped for the life of the process. A driver that was replaced under it is
 * told by {@link Scan.VersionMismatch}.
 */
public final class NvmlGpuSource implements GpuSource {

  /** The kernel driver that has a GPU which NVML should list; with vfio-pci it should not. */
  private static final String KERNEL_DRIVER = "nvidia";

  private final NvmlPlaces places;
  private final PciBus pci;

  /** Held by the scan that runs. It guards all that follows but {@code closed}. */
  private final ReentrantLock running = new ReentrantLock();

  private final Roster roster = new Roster();
  private Optional<Nvml> library = Optional.empty();
  private boolean initialized;

  private volatile boolean closed;

  public NvmlGpuSource(NvmlPlaces places) {
    this.places = places;
    this.pci = new PciBus(places.sysfs());
  }

  @Override
  public Scan scan() {
    if (!running.tryLock()) {
      return new Scan.Failed(
          NvmlCode.TIMEOUT.number(), "the scan before this one is still in the driver");
    }
    try {
      return closed
          ? new Scan.Failed(NvmlCode.UNINITIALIZED.number(), "the GPU source is closed")
          : started();
    } finally {
      running.unlock();
      endIfClosed();
    }
  }

  /** NVML must not be shut down under a scan, so the last of the two to come does it. */
  @Override
  public void close() {
    closed = true;
    endIfClosed();
  }

  private void endIfClosed() {
    if (closed && running.tryLock()) {
      try {
        end();
      } finally {
        running.unlock();
      }
    }
  }

  private Scan started() {
    if (library.isPresent()) {
      return initialized(library.get());
    }
    return switch (Nvml.load(places)) {
      case Nvml.Loading.Absent(var why) -> new Scan.DriverNotLoaded(why);
      case Nvml.Loading.Unusable(var why) ->
          new Scan.Failed(NvmlCode.LIBRARY_NOT_FOUND.number(), why);
      case Nvml.Loading.Loaded(var nvml) -> {
        library = Optional.of(nvml);
        yield initialized(nvml);
      }
    };
  }

  private Scan initialized(Nvml nvml) {
    if (!initialized) {
      NvmlCode code = nvml.init();
      if (!code.isSuccess()) {
        return refused(nvml, "NVML did not start", code);
      }
      initialized = true;
    }
    return switch (nvml.deviceCount()) {
      case Reply.Value<Integer>(var count) -> seen(nvml, count);
      case Reply.Refusal<Integer>(var code) -> {
        end();
        yield refused(nvml, "the GPUs can't be counted", code);
      }
    };
  }

  private Scan seen(Nvml nvml, int count) {
    CardReader reader = new CardReader(nvml, pci, MigMinors.read(places.procfs()));
    List<Sight> sights = new ArrayList<>();
    for (int index = 0; index < count; index++) {
      sights.add(reader.read(index));
    }
    Roster.Settled settled = roster.settle(sights);
    List<PciBus.Gpu> hidden = hidden(settled.strangers());
    List<LeftOut> leftOut = new ArrayList<>(settled.leftOut());
    hidden.forEach(gpu -> leftOut.add(leftOut(gpu)));
    Scan scan =
        new Scan.Seen(settled.devices(), leftOut, nvml.driverVersion().known().orElse("unknown"));
    if (!settled.sound() || hidden.stream().anyMatch(NvmlGpuSource::belongsToNvidia)) {
      end();
    }
    return scan;
  }

  /**
   * GPUs that the PCI bus has and NVML does not list at all. One that is listed and can't be opened
   * has no address; while there are such, as many addresses are theirs.
   */
  private List<PciBus.Gpu> hidden(int strangers) {
    Set<PciAddress> told = roster.addresses();
    List<PciBus.Gpu> untold =
        pci.gpus().stream().filter(gpu -> !told.contains(gpu.address())).toList();
    return untold.size() > strangers ? untold : List.of();
  }

  private static boolean belongsToNvidia(PciBus.Gpu gpu) {
    return gpu.driver().filter(KERNEL_DRIVER::equals).isPresent();
  }

  private static LeftOut leftOut(PciBus.Gpu gpu) {
    String driver =
        gpu.driver().map(name -> "the kernel driver " + name).orElse("no kernel driver");
    String why =
        belongsToNvidia(gpu)
            ? "the PCI bus has it and NVML does not list it: is its /dev/nvidia node blocked?"
            : "NVML does not list it: " + driver + " has it";
    return new LeftOut("PCI " + gpu.address(), why);
  }

  private Scan refused(Nvml nvml, String what, NvmlCode code) {
    String text = what + ": " + code.text();
    if (code.meaning() == Meaning.DRIVER_NOT_LOADED) {
      return new Scan.DriverNotLoaded(text);
    }
    return code.meaning() == Meaning.VERSION_MISMATCH
        ? new Scan.VersionMismatch(text + "; " + versions(nvml))
        : new Scan.Failed(code.number(), text);
  }

  private String versions(Nvml nvml) {
    String module = TextFile.line(places.procfs().resolve("driver/nvidia/version"));
    return "the library is "
        + nvml.libraryVersion().known().orElse("unknown")
        + ", the kernel module "
        + (module.isEmpty() ? "unknown" : module);
  }

  private void end() {
    if (initialized) {
      initialized = false;
      library.ifPresent(Nvml::shutdown);
    }
  }
}
