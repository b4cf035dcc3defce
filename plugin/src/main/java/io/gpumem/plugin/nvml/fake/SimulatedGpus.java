package io.gpumem.plugin.nvml.fake;

import io.gpumem.plugin.nvml.GpuSource;
import io.gpumem.plugin.nvml.Roster;
import io.gpumem.plugin.nvml.Scan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A machine that a file describes (see {@link MachineFile}), read anew at each scan, so that an
 * edit breaks, mends or fills its GPUs while everything runs. A file that can't be taken changes
 * nothing: the last good state stays, and the problem is told once.
 *
 * <p>A machine that hangs blocks the scan as a driver does, with no deadline of its own, until the
 * file says otherwise, {@link #close} is called or the thread is interrupted.
 */
public final class SimulatedGpus implements GpuSource {

  /** Numbers that NVML gives for the same things. */
  private static final int UNINITIALIZED = 1;

  private static final int TIMEOUT = 10;
  private static final int UNKNOWN_ERROR = 999;

  /** How often a hanging machine looks at its file. */
  private static final long LOOK_MILLIS = 20;

  /** A machine of 32 GPUs with all their MIG devices takes less than a tenth of this. */
  private static final long LARGEST_FILE_BYTES = 1024 * 1024;

  private final Path file;
  private final Consumer<String> problems;

  /** Held by the scan that runs. It guards the four fields that follow. */
  private final ReentrantLock running = new ReentrantLock();

  private final Roster roster = new Roster();
  private Optional<Machine> machine = Optional.empty();
  private String text = "";
  private String problem = "";

  private final ReentrantLock ending = new ReentrantLock();
  private final Condition ended = ending.newCondition();

  /** Written under {@code ending}. */
  private volatile boolean closed;

  /**
   * @param problems told one line each time the file becomes one that can't be taken; it is called
   *     on the scanning thread
   */
  public SimulatedGpus(Path file, Consumer<String> problems) {
    this.file = file;
    this.problems = problems;
  }

  @Override
  public Scan scan() {
    if (!running.tryLock()) {
      return new Scan.Failed(TIMEOUT, "the scan before this one is still in the driver");
    }
    try {
      look();
      while (machine.map(Machine::hangs).orElse(false) && !closed && waited()) {
        look();
      }
      return closed ? new Scan.Failed(UNINITIALIZED, "the GPU source is closed") : seen();
    } finally {
      running.unlock();
    }
  }

  @Override
  public void close() {
    ending.lock();
    try {
      closed = true;
      ended.signalAll();
    } finally {
      ending.unlock();
    }
  }

  /** False when the thread was interrupted: the hang then ends with what is known. */
  private boolean waited() {
    ending.lock();
    try {
      if (!closed) {
        boolean _ = ended.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      }
      return true;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      ending.unlock();
    }
  }

  private Scan seen() {
    if (machine.isEmpty()) {
      return new Scan.Failed(UNKNOWN_ERROR, problem);
    }
    Machine now = machine.get();
    return switch (now.driver()) {
      case NOT_LOADED -> new Scan.DriverNotLoaded("the simulated driver is not loaded");
      case MISMATCH -> new Scan.VersionMismatch("the simulated driver is of another version");
      case LOADED -> {
        Roster.Settled settled = roster.settle(now.sights());
        yield new Scan.Seen(settled.devices(), settled.leftOut(), Machine.DRIVER_VERSION);
      }
    };
  }

  private void look() {
    String found;
    try {
      if (Files.size(file) > LARGEST_FILE_BYTES) {
        refuse("it is larger than " + LARGEST_FILE_BYTES + " bytes");
        return;
      }
      found = Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      refuse("it can't be read: " + unreadable);
      return;
    }
    if (found.equals(text)) {
      problem = "";
      return;
    }
    switch (MachineFile.parse(found)) {
      case MachineFile.Parsed.Good(var good) -> {
        machine = Optional.of(good);
        text = found;
        problem = "";
      }
      case MachineFile.Parsed.Refusal(var why) -> refuse(why);
    }
  }

  private void refuse(String why) {
    String line = "the machine file " + file + " is not taken: " + why;
    if (!line.equals(problem)) {
      problem = line;
      problems.accept(line);
    }
  }
}
