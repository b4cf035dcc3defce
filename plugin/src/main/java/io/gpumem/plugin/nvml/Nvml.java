package io.gpumem.plugin.nvml;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.gpumem.core.units.DeviceUuid;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The calls of NVML that the plugin makes, one Java method each.
 *
 * <p>Every function is looked up by its exact exported name, suffix included: the plain names are
 * exported as well and are the old calls with the old structs. A function that the library lacks
 * answers with {@link NvmlCode#FUNCTION_NOT_FOUND}, so that one missing name takes nothing else
 * down. Structs are raw memory read at the offsets of {@code nvml.h} (API version 13; the same on
 * x86-64 and aarch64), because JNA's mapped structs cost many times as much per call.
 *
 * <p>Handles are the driver's pointers. Those of MIG devices go stale when an instance is made
 * anew, and may then name another one: none is kept from one scan to the next.
 *
 * <p>Thread-safe, as NVML is; but nothing may be called after the last {@link #shutdown}.
 */
final class Nvml {

  /** Whether the library could be mapped. The texts are single lines. */
  sealed interface Loading {
    record Loaded(Nvml nvml) implements Loading {}

    /** There is no such file (yet). */
    record Absent(String why) implements Loading {}

    /** There is one, but it is none of this platform's libraries. */
    record Unusable(String why) implements Loading {}
  }

  /** Bytes, unsigned, as the driver counts them. */
  record MemoryBytes(long total, long reserved, long used) {}

  /** A place in the process's memory that NVML gave for a device. */
  record Handle(long address) {}

  private static final int VERSION_TEXT_BYTES = 80;
  private static final int NAME_BYTES = 96;
  private static final int UUID_BYTES = 96;

  private static final int PCI_BYTES = 68;
  private static final int PCI_BUS_ID = 36;

  private static final int MEMORY_V1_BYTES = 24;
  private static final int MEMORY_V2_BYTES = 40;

  /** The struct's size and its version in the top byte; anything else is refused with 13. */
  private static final int MEMORY_V2_VERSION = 0x02000028;

  /** NVML_FI_DEV_GET_GPU_RECOVERY_ACTION: what the driver itself wants done to the GPU. */
  private static final int RECOVERY_ACTION_FIELD = 230;

  private static final int FIELD_VALUE_BYTES = 40;
  private static final int FIELD_RETURN = 28;
  private static final int FIELD_VALUE = 32;

  private final NativeLibrary library;
  private final Map<String, Optional<Function>> functions = new ConcurrentHashMap<>();

  private Nvml(NativeLibrary library) {
    this.library = library;
  }

  /** Maps the library; the mapping lasts as long as the process, for a reload can't be trusted. */
  static Loading load(NvmlPlaces places) {
    if (places.library().isPresent()) {
      Path file = places.library().get();
      return Files.isRegularFile(file)
          ? open(file.toAbsolutePath().toString())
          : new Loading.Absent("there is no file " + file);
    }
    Optional<Path> found = LibrarySearch.under(places.driverRoot());
    if (found.isPresent()) {
      return open(found.get().toAbsolutePath().toString());
    }
    String nowhere = "there is no " + LibrarySearch.NAME + " under " + places.driverRoot();
    if (!places.driverRoot().equals(Path.of("/"))) {
      return new Loading.Absent(nowhere);
    }
    return switch (open(LibrarySearch.NAME)) {
      case Loading.Loaded loaded -> loaded;
      case Loading.Absent _, Loading.Unusable _ ->
          new Loading.Absent(nowhere + " and the dynamic loader finds none");
    };
  }

  private static Loading open(String name) {
    try {
      return new Loading.Loaded(new Nvml(NativeLibrary.getInstance(name)));
    } catch (UnsatisfiedLinkError refused) {
      return new Loading.Unusable(firstLines(String.valueOf(refused.getMessage())));
    }
  }

  /** JNA's message has the loader's own words in its second line and repeats them after that. */
  private static String firstLines(String message) {
    return message.lines().limit(2).map(String::strip).collect(Collectors.joining(" "));
  }

  /** Counted by NVML: each success needs a {@link #shutdown} of its own. */
  NvmlCode init() {
    return call("nvmlInit_v2");
  }

  NvmlCode shutdown() {
    return call("nvmlShutdown");
  }

  Reply<String> driverVersion() {
    return text("nvmlSystemGetDriverVersion", VERSION_TEXT_BYTES);
  }

  /** The library's own version; it needs no {@link #init}. */
  Reply<String> libraryVersion() {
    return text("nvmlSystemGetNVMLVersion", VERSION_TEXT_BYTES);
  }

  /** GPUs that this process may not open are counted too. */
  Reply<Integer> deviceCount() {
    return number("nvmlDeviceGetCount_v2");
  }

  Reply<Handle> device(int index) {
    return handle("nvmlDeviceGetHandleByIndex_v2", index);
  }

  /** Of a GPU or a MIG device; {@link NvmlCode#UNKNOWN} when the text can be no UUID. */
  Reply<DeviceUuid> uuid(Handle device) {
    return switch (text("nvmlDeviceGetUUID", UUID_BYTES, device.address())) {
      case Reply.Refusal<String>(var code) -> new Reply.Refusal<>(code);
      case Reply.Value<String>(var text) when DeviceUuid.isLegal(text) ->
          new Reply.Value<>(new DeviceUuid(text));
      case Reply.Value<String> _ -> new Reply.Refusal<>(NvmlCode.UNKNOWN);
    };
  }

  Reply<String> name(Handle device) {
    return text("nvmlDeviceGetName", NAME_BYTES, device.address());
  }

  /** Of a GPU only: a MIG handle is refused. */
  Reply<Integer> minor(Handle device) {
    return number("nvmlDeviceGetMinorNumber", device.address());
  }

  /** Of a GPU only: a MIG handle is refused. */
  Reply<PciAddress> pciAddress(Handle device) {
    try (Memory info = cleared(PCI_BYTES)) {
      NvmlCode code = call("nvmlDeviceGetPciInfo_v3", device.address(), info);
      if (!code.isSuccess()) {
        return new Reply.Refusal<>(code);
      }
      return PciAddress.parse(text(info, PCI_BUS_ID, PCI_BYTES))
          .<Reply<PciAddress>>map(Reply.Value::new)
          .orElseGet(() -> new Reply.Refusal<>(NvmlCode.UNKNOWN));
    }
  }

  /**
   * The second form of the call, which alone knows the reserve. A driver without it gets the first
   * form, with nothing reserved and the reserve inside {@code used}. The choice is made anew each
   * time: the code for a missing function also comes for other reasons.
   */
  Reply<MemoryBytes> memory(Handle device) {
    try (Memory info = cleared(MEMORY_V2_BYTES)) {
      info.setInt(0, MEMORY_V2_VERSION);
      NvmlCode code = call("nvmlDeviceGetMemoryInfo_v2", device.address(), info);
      if (code.isSuccess()) {
        return new Reply.Value<>(
            new MemoryBytes(info.getLong(8), info.getLong(16), info.getLong(32)));
      }
      boolean otherForm = code.meaning() == NvmlCode.Meaning.ABSENT;
      return otherForm ? memoryV1(device) : new Reply.Refusal<>(code);
    }
  }

  private Reply<MemoryBytes> memoryV1(Handle device) {
    try (Memory info = cleared(MEMORY_V1_BYTES)) {
      NvmlCode code = call("nvmlDeviceGetMemoryInfo", device.address(), info);
      return code.isSuccess()
          ? new Reply.Value<>(new MemoryBytes(info.getLong(0), 0, info.getLong(16)))
          : new Reply.Refusal<>(code);
    }
  }

  /** Whether MIG is on now; what a pending change will make of it is not asked. */
  Reply<Boolean> migMode(Handle device) {
    try (Memory current = cleared(Integer.BYTES);
        Memory pending = cleared(Integer.BYTES)) {
      NvmlCode code = call("nvmlDeviceGetMigMode", device.address(), current, pending);
      return code.isSuccess()
          ? new Reply.Value<>(current.getInt(0) != 0)
          : new Reply.Refusal<>(code);
    }
  }

  Reply<Integer> migSlots(Handle device) {
    return number("nvmlDeviceGetMaxMigDeviceCount", device.address());
  }

  Reply<Handle> migDevice(Handle device, int slot) {
    return handle("nvmlDeviceGetMigDeviceHandleByIndex", device.address(), slot);
  }

  Reply<Integer> gpuInstance(Handle migDevice) {
    return number("nvmlDeviceGetGpuInstanceId", migDevice.address());
  }

  Reply<Integer> computeInstance(Handle migDevice) {
    return number("nvmlDeviceGetComputeInstanceId", migDevice.address());
  }

  /** 0 when nothing needs to be done; drivers that do not know the field refuse. */
  Reply<Integer> recoveryAction(Handle device) {
    try (Memory field = cleared(FIELD_VALUE_BYTES)) {
      field.setInt(0, RECOVERY_ACTION_FIELD);
      NvmlCode code = call("nvmlDeviceGetFieldValues", device.address(), 1, field);
      NvmlCode ofField = code.isSuccess() ? new NvmlCode(field.getInt(FIELD_RETURN)) : code;
      return ofField.isSuccess()
          ? new Reply.Value<>(field.getInt(FIELD_VALUE))
          : new Reply.Refusal<>(ofField);
    }
  }

  private Reply<Integer> number(String function, Object... before) {
    try (Memory out = cleared(Integer.BYTES)) {
      NvmlCode code = call(function, and(before, out));
      return code.isSuccess() ? new Reply.Value<>(out.getInt(0)) : new Reply.Refusal<>(code);
    }
  }

  private Reply<Handle> handle(String function, Object... before) {
    try (Memory out = cleared(Long.BYTES)) {
      NvmlCode code = call(function, and(before, out));
      return code.isSuccess()
          ? new Reply.Value<>(new Handle(out.getLong(0)))
          : new Reply.Refusal<>(code);
    }
  }

  private Reply<String> text(String function, int bytes, Object... before) {
    try (Memory out = cleared(bytes)) {
      NvmlCode code = call(function, and(before, out, bytes));
      return code.isSuccess() ? new Reply.Value<>(text(out, 0, bytes)) : new Reply.Refusal<>(code);
    }
  }

  /** ASCII up to the first zero, and never beyond the buffer when there is none. */
  private static String text(Pointer memory, int from, int to) {
    StringBuilder text = new StringBuilder();
    for (int at = from; at < to && memory.getByte(at) != 0; at++) {
      text.append((char) (memory.getByte(at) & 0x7f));
    }
    return text.toString();
  }

  private static Memory cleared(int bytes) {
    Memory memory = new Memory(bytes);
    memory.clear();
    return memory;
  }

  private static Object[] and(Object[] before, Object... after) {
    Object[] all = new Object[before.length + after.length];
    System.arraycopy(before, 0, all, 0, before.length);
    System.arraycopy(after, 0, all, before.length, after.length);
    return all;
  }

  private NvmlCode call(String name, Object... arguments) {
    return functions
        .computeIfAbsent(name, this::lookUp)
        .map(function -> new NvmlCode(function.invokeInt(arguments)))
        .orElse(NvmlCode.FUNCTION_NOT_FOUND);
  }

  private Optional<Function> lookUp(String name) {
    try {
      return Optional.of(library.getFunction(name));
    } catch (UnsatisfiedLinkError absent) {
      return Optional.empty();
    }
  }
}
