package io.gpumem.plugin.nvml;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.plugin.nvml.Nvml.Handle;
import io.gpumem.plugin.nvml.Nvml.MemoryBytes;
import io.gpumem.plugin.nvml.NvmlCode.Meaning;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reads one GPU of NVML's list, with its MIG devices. Whatever a call answers, the outcome is a
 * {@link Sight} of this GPU alone.
 */
final class CardReader {

  /** What a GPU and its MIG devices have in common; a MIG handle refuses to tell most of it. */
  private record Parent(
      Handle handle,
      DeviceUuid uuid,
      Optional<PciAddress> bus,
      int minor,
      String model,
      OptionalInt numa,
      Condition condition) {}

  private static final String UNKNOWN_MODEL = "NVIDIA GPU";

  /** In a MIG device's name, between the GPU's name and the profile's. */
  private static final String MIG_MARK = " MIG ";

  private final Nvml nvml;
  private final PciBus pci;
  private final MigMinors minors;

  CardReader(Nvml nvml, PciBus pci, MigMinors minors) {
    this.nvml = nvml;
    this.pci = pci;
    this.minors = minors;
  }

  Sight read(int index) {
    return switch (nvml.device(index)) {
      case Reply.Refusal<Handle>(var code) ->
          new Sight.Unreadable(index, Optional.empty(), "it can't be opened: " + code.text());
      case Reply.Value<Handle>(var handle) -> named(index, handle);
    };
  }

  private Sight named(int index, Handle handle) {
    return switch (nvml.uuid(handle)) {
      case Reply.Refusal<DeviceUuid>(var code) ->
          new Sight.Unreadable(index, Optional.empty(), "its UUID can't be read: " + code.text());
      case Reply.Value<DeviceUuid>(var uuid) -> opened(index, parent(handle, uuid));
    };
  }

  private Parent parent(Handle handle, DeviceUuid uuid) {
    Optional<PciAddress> bus = nvml.pciAddress(handle).known();
    return new Parent(
        handle,
        uuid,
        bus,
        nvml.minor(handle).known().orElse(GpuFacts.UNKNOWN_MINOR),
        nvml.name(handle).known().orElse(UNKNOWN_MODEL),
        bus.map(pci::numa).orElse(OptionalInt.empty()),
        condition(nvml.recoveryAction(handle)));
  }

  /** Most drivers in use do not know the field: their refusal says nothing against the GPU. */
  private static Condition condition(Reply<Integer> action) {
    return switch (action) {
      case Reply.Value<Integer>(var number) when number != 0 ->
          new Condition.Broken("the driver asks for " + recovery(number));
      case Reply.Refusal<Integer>(var code) when code.meaning() == Meaning.DEVICE_BAD ->
          new Condition.Broken(code.text());
      case Reply.Value<Integer> _, Reply.Refusal<Integer> _ -> Condition.WORKING;
    };
  }

  private static String recovery(int action) {
    return switch (action) {
      case 1 -> "a reset of the GPU";
      case 2 -> "a reboot of the node";
      case 3 -> "a drain of its peer-to-peer traffic";
      case 4 -> "a drain and a reset of the GPU";
      case 5 -> "a recovery of its IMEX domain";
      default -> "recovery action " + action;
    };
  }

  /**
   * MIG being unknown to the driver means off. Any other refusal leaves open whether the memory is
   * the GPU's or its MIG devices', and selling it then could sell it twice.
   */
  private Sight opened(int index, Parent parent) {
    return switch (nvml.migMode(parent.handle())) {
      case Reply.Value<Boolean>(var on) when on -> split(parent);
      case Reply.Refusal<Boolean>(var code) when code.meaning() != Meaning.ABSENT ->
          new Sight.Unreadable(
              index, Optional.of(parent.uuid()), "its MIG mode can't be read: " + code.text());
      case Reply.Value<Boolean> _, Reply.Refusal<Boolean> _ ->
          new Sight.Opened(parent.uuid(), parent.bus(), List.of(whole(parent)), Optional.empty());
    };
  }

  private GpuFacts whole(Parent parent) {
    return facts(parent, parent.uuid(), Optional.empty(), nvml.memory(parent.handle()));
  }

  /** Empty slots between used ones are normal, so all are looked at. */
  private Sight split(Parent parent) {
    List<GpuFacts> devices = new ArrayList<>();
    Optional<String> gap = Optional.empty();
    Reply<Integer> slots = nvml.migSlots(parent.handle());
    if (slots instanceof Reply.Refusal<Integer>(var code)) {
      gap = Optional.of("the number of MIG devices can't be read: " + code.text());
    }
    for (int slot = 0; slot < slots.known().orElse(0); slot++) {
      switch (nvml.migDevice(parent.handle(), slot)) {
        case Reply.Refusal<Handle>(var code) when code.meaning() == Meaning.GONE -> {}
        case Reply.Refusal<Handle>(var code) -> gap = unread(slot, code);
        case Reply.Value<Handle>(var handle) ->
            gap = or(gap, migDevice(parent, slot, handle, devices));
      }
    }
    return new Sight.Opened(parent.uuid(), parent.bus(), devices, gap);
  }

  private static Optional<String> or(Optional<String> one, Optional<String> other) {
    return one.isPresent() ? one : other;
  }

  private static Optional<String> unread(int slot, NvmlCode code) {
    return Optional.of("MIG slot " + slot + " of its GPU can't be read: " + code.text());
  }

  /** Adds the device, or says why it can't be told apart from the others. */
  private Optional<String> migDevice(
      Parent parent, int slot, Handle handle, List<GpuFacts> devices) {
    Reply<DeviceUuid> uuid = nvml.uuid(handle);
    Reply<Integer> gpuInstance = nvml.gpuInstance(handle);
    Reply<Integer> computeInstance = nvml.computeInstance(handle);
    if (uuid instanceof Reply.Refusal<DeviceUuid>(var code)) {
      return code.meaning() == Meaning.GONE ? Optional.empty() : unread(slot, code);
    }
    if (gpuInstance instanceof Reply.Refusal<Integer>(var code)) {
      return unread(slot, code);
    }
    if (computeInstance instanceof Reply.Refusal<Integer>(var code)) {
      return unread(slot, code);
    }
    int instance = gpuInstance.known().orElseThrow();
    int compute = computeInstance.known().orElseThrow();
    if (instance < 0 || compute < 0) {
      return Optional.of("MIG slot " + slot + " of its GPU names no instance");
    }
    MigFacts mig =
        new MigFacts(
            parent.uuid(),
            profile(nvml.name(handle).known().orElse("")),
            instance,
            compute,
            minors.of(parent.minor(), instance, compute));
    devices.add(facts(parent, uuid.known().orElseThrow(), Optional.of(mig), nvml.memory(handle)));
    return Optional.empty();
  }

  /** {@code 1g.18gb} of {@code NVIDIA H200 MIG 1g.18gb}. */
  private static String profile(String name) {
    int mark = name.lastIndexOf(MIG_MARK);
    return mark < 0 ? name : name.substring(mark + MIG_MARK.length());
  }

  private static GpuFacts facts(
      Parent parent, DeviceUuid uuid, Optional<MigFacts> mig, Reply<MemoryBytes> memory) {
    Optional<MemoryBytes> bytes = memory.known().filter(answer -> answer.total() != 0);
    return new GpuFacts(
        uuid,
        0,
        parent.minor(),
        parent.model(),
        bytes.map(answer -> Memory.ofBytes(answer.total())),
        Mebibytes.roundedUp(bytes.map(MemoryBytes::reserved).orElse(0L)),
        Mebibytes.roundedUp(bytes.map(MemoryBytes::used).orElse(0L)),
        parent.numa(),
        mig,
        condition(parent.condition(), memory));
  }

  /** A driver that can't tell the memory has a working GPU; one that fails to has not. */
  private static Condition condition(Condition parent, Reply<MemoryBytes> memory) {
    return switch (memory) {
      case Reply.Refusal<MemoryBytes>(var code) when code.meaning() != Meaning.ABSENT ->
          new Condition.Broken("its memory can't be read: " + code.text());
      case Reply.Refusal<MemoryBytes> _, Reply.Value<MemoryBytes> _ -> parent;
    };
  }
}
