package io.gpumem.plugin.nvml.fake;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.plugin.nvml.PciAddress;
import io.gpumem.plugin.nvml.fake.Fields.Refused;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/** Makes GPUs of the {@code devices} of a file or a profile, under the file's overrides. */
final class GpuFields {

  /** As many as a kubelet's node can have GPUs, and more than any machine has. */
  private static final int MOST_GPUS = 32;

  private static final int MOST_SLOTS = 8;
  private static final int LARGEST_ID = 14;
  private static final int LARGEST_NUMA = 1023;

  private final Optional<String> seed;
  private final Map<String, Fields> overrides;
  private final Set<String> used = new HashSet<>();

  GpuFields(Optional<String> seed, Map<String, Fields> overrides) {
    this.seed = seed;
    this.overrides = overrides;
  }

  List<SimulatedGpu> read(List<Fields> devices) {
    if (devices.size() > MOST_GPUS) {
      throw new Refused("devices: expected at most " + MOST_GPUS + " but was " + devices.size());
    }
    List<SimulatedGpu> gpus = new ArrayList<>();
    for (Fields fields : devices) {
      gpus.add(gpu(fields, gpus.size()));
    }
    return gpus;
  }

  /** An override of a device that is not there would go unnoticed. */
  void refuseUnused() {
    for (Map.Entry<String, Fields> override : overrides.entrySet()) {
      if (!used.contains(override.getKey())) {
        throw new Refused("overrides." + override.getKey() + ": there is no such device");
      }
      override.getValue().refuseOthers();
    }
  }

  private SimulatedGpu gpu(Fields fields, int position) {
    DeviceUuid own = uuid(fields, "GPU-", String.valueOf(position));
    Optional<Fields> override = override(String.valueOf(position), own);
    SimulatedGpu gpu =
        new SimulatedGpu(
            override.flatMap(change -> changedUuid(change, "GPU-")).orElse(own),
            fields.text("model").orElse("Simulated GPU"),
            bus(fields, position),
            fields.number("minor", 0, 255).orElse(position),
            numa(fields),
            memory(fields, override),
            override
                .flatMap(change -> health(change, true))
                .or(() -> health(fields, true))
                .orElse(new Health.Working()),
            fields.objects("mig").map(slots -> migDevices(slots, position)));
    fields.refuseOthers();
    return gpu;
  }

  private List<SimulatedMigDevice> migDevices(List<Fields> slots, int position) {
    List<SimulatedMigDevice> devices = new ArrayList<>();
    for (Fields fields : slots) {
      devices.add(migDevice(fields, position, devices.size()));
    }
    return devices;
  }

  private SimulatedMigDevice migDevice(Fields fields, int gpu, int position) {
    int slot = fields.number("slot", 0, MOST_SLOTS - 1).orElse(position);
    String pair = gpu + ":" + slot;
    DeviceUuid own = uuid(fields, "MIG-", pair);
    Optional<Fields> override = override(pair, own);
    SimulatedMigDevice device =
        new SimulatedMigDevice(
            slot,
            override.flatMap(change -> changedUuid(change, "MIG-")).orElse(own),
            fields.text("profile").orElseThrow(() -> missing(fields, "profile")),
            fields
                .number("gpuInstance", 0, LARGEST_ID)
                .orElseThrow(() -> missing(fields, "gpuInstance")),
            fields.number("computeInstance", 0, MOST_SLOTS - 1).orElse(0),
            memory(fields, override),
            override
                .flatMap(change -> health(change, false))
                .or(() -> health(fields, false))
                .orElse(new Health.Working()));
    fields.refuseOthers();
    return device;
  }

  private Optional<Fields> override(String position, DeviceUuid uuid) {
    Optional<Fields> byPosition = Optional.ofNullable(overrides.get(position));
    Optional<Fields> byUuid = Optional.ofNullable(overrides.get(uuid.text()));
    if (byPosition.isPresent() && byUuid.isPresent()) {
      throw new Refused("overrides." + position + " and " + uuid + " are the same device");
    }
    byPosition.ifPresent(_ -> used.add(position));
    byUuid.ifPresent(_ -> used.add(uuid.text()));
    return byPosition.or(() -> byUuid);
  }

  /**
   * The UUID that is written, or one made of the position. With a seed, one made of the seed and of
   * either: two nodes of one profile then differ, and each is the same again after a restart.
   */
  private DeviceUuid uuid(Fields fields, String prefix, String position) {
    Optional<DeviceUuid> written = changedUuid(fields, prefix);
    if (seed.isEmpty() && written.isPresent()) {
      return written.get();
    }
    String template = written.map(DeviceUuid::text).orElse(position);
    byte[] name = (seed.orElse("") + "/" + template).getBytes(StandardCharsets.UTF_8);
    return new DeviceUuid(prefix + UUID.nameUUIDFromBytes(name));
  }

  private static Optional<DeviceUuid> changedUuid(Fields fields, String prefix) {
    return fields
        .text("uuid")
        .map(
            text -> {
              if (!text.startsWith(prefix) || !DeviceUuid.isLegal(text)) {
                throw fields.expected("uuid", "a UUID that begins with " + prefix, text);
              }
              return new DeviceUuid(text);
            });
  }

  private static PciAddress bus(Fields fields, int position) {
    return fields
        .text("bus")
        .map(
            text ->
                PciAddress.parse(text)
                    .orElseThrow(() -> fields.expected("bus", "such as 0000:65:00.0", text)))
        .orElse(new PciAddress(0, position + 1, 0, 0));
  }

  /** −1 is how the kernel says that it does not know. */
  private static OptionalInt numa(Fields fields) {
    OptionalInt node = fields.number("numa", -1, LARGEST_NUMA);
    return node.orElse(-1) < 0 ? OptionalInt.empty() : node;
  }

  private static SimulatedMemory memory(Fields fields, Optional<Fields> override) {
    Optional<OptionalLong> own = total(fields);
    OptionalLong total =
        override
            .flatMap(GpuFields::total)
            .or(() -> own)
            .orElseThrow(() -> missing(fields, "memory"));
    return new SimulatedMemory(
        total, amount(fields, override, "reserved"), amount(fields, override, "used"));
  }

  /** Nothing when the key is not there; an unknown amount when it says so. */
  private static Optional<OptionalLong> total(Fields fields) {
    if (fields.says("memory", "unknown")) {
      return Optional.of(OptionalLong.empty());
    }
    return Optional.of(fields.bytes("memory")).filter(OptionalLong::isPresent);
  }

  private static long amount(Fields fields, Optional<Fields> override, String key) {
    OptionalLong own = fields.bytes(key);
    OptionalLong changed = override.map(change -> change.bytes(key)).orElse(OptionalLong.empty());
    return changed.orElse(own.orElse(0));
  }

  private static Optional<Health> health(Fields fields, boolean gpu) {
    Optional<String> word = fields.text("health");
    Optional<String> why = fields.text("why");
    if (word.isEmpty() && why.isPresent()) {
      throw new Refused(fields.path("why") + ": expected health beside it");
    }
    return word.map(
        state ->
            switch (state) {
              case "working" -> new Health.Working();
              case "broken" -> new Health.Broken(why.orElse("simulated fault"));
              case "removed" -> new Health.Removed();
              case "lost" -> lost(fields, gpu, why.orElse("simulated loss"));
              default -> throw fields.expected("health", "working, broken, lost or removed", state);
            });
  }

  private static Health lost(Fields fields, boolean gpu, String why) {
    if (!gpu) {
      throw new Refused(fields.path("health") + ": a MIG device is lost with its GPU only");
    }
    return new Health.Lost(why);
  }

  private static Refused missing(Fields fields, String key) {
    return new Refused(fields.path(key) + ": expected a value but there is none");
  }
}
