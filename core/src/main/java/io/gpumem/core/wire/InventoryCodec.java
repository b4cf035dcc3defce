package io.gpumem.core.wire;

import io.gpumem.core.facts.Decoded;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.inventory.MigSlice;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** The node annotation {@code <resource>.devices}, written by the plugin: the inventory. */
public final class InventoryCodec {

  /** More units than any device has at 1 MiB a unit; a forged number must not pass for one. */
  private static final long MOST_UNITS = 1L << 32;

  private static final String HEALTHY = "Healthy";
  private static final String UNHEALTHY = "Unhealthy";

  private InventoryCodec() {}

  public static String encode(Inventory inventory) {
    Map<String, Json> fields = Versioned.fields();
    fields.put("unit", new Json.Text(inventory.unit().toString()));
    List<Json> devices = inventory.devices().stream().map(InventoryCodec::encode).toList();
    fields.put("devices", new Json.Arr(devices));
    return Json.write(new Json.Obj(fields));
  }

  private static Json encode(Device device) {
    Map<String, Json> fields = new LinkedHashMap<>();
    fields.put("id", new Json.Text(device.uuid().text()));
    fields.put("index", Versioned.number(device.index()));
    device
        .mig()
        .ifPresent(
            mig -> {
              fields.put("parent", new Json.Text(mig.parent().text()));
              fields.put("profile", new Json.Text(mig.profile()));
            });
    fields.put("model", new Json.Text(device.model()));
    fields.put("memory", new Json.Text(device.memory().mib() + "Mi"));
    fields.put("usable", new Json.Text(device.usable().mib() + "Mi"));
    fields.put("units", Versioned.number(device.units()));
    device.numa().ifPresent(numa -> fields.put("numa", Versioned.number(numa)));
    switch (device.health()) {
      case Health.Healthy() -> fields.put("health", new Json.Text(HEALTHY));
      case Health.Unhealthy(String why) -> {
        fields.put("health", new Json.Text(UNHEALTHY));
        fields.put("why", new Json.Text(why));
      }
    }
    return new Json.Obj(fields);
  }

  public static Decoded<Inventory> decode(Optional<String> text) {
    return Versioned.decode(
        text,
        fields -> {
          List<Device> devices = new ArrayList<>();
          Set<Integer> indexes = new HashSet<>();
          for (Json json : fields.array("devices")) {
            Device device = device(json);
            devices.add(device);
            // An admin closes a device by its index: a forgery must not make that mean another.
            if (!indexes.add(device.index())) {
              throw new Json.Malformed("index " + device.index() + " twice");
            }
          }
          return new Inventory(memory(fields, "unit"), devices);
        });
  }

  private static Device device(Json json) throws Json.Malformed {
    if (!(json instanceof Json.Obj fields)) {
      throw new Json.Malformed("expected an object for each device");
    }
    return new Device(
        new DeviceUuid(Versioned.required(fields, "id")),
        (int) number(fields, "index", Integer.MAX_VALUE),
        fields.text("model").orElse(""),
        mig(fields),
        memory(fields, "memory"),
        memory(fields, "usable"),
        number(fields, "units", MOST_UNITS),
        numa(fields),
        health(fields));
  }

  /** What is no NUMA node's number is an unknown one, as is the kernel's own -1. */
  private static OptionalInt numa(Json.Obj fields) {
    long numa = fields.whole("numa").orElse(-1);
    boolean known = numa >= 0 && numa <= Integer.MAX_VALUE;
    return known ? OptionalInt.of((int) numa) : OptionalInt.empty();
  }

  private static Optional<MigSlice> mig(Json.Obj fields) {
    return fields
        .text("parent")
        .map(
            parent ->
                new MigSlice(new DeviceUuid(parent), fields.text("profile").orElse("unknown")));
  }

  /** Everything but the one good word counts as bad, as the kubelet does. */
  private static Health health(Json.Obj fields) {
    return fields.text("health").equals(Optional.of(HEALTHY))
        ? Health.HEALTHY
        : new Health.Unhealthy(fields.text("why").orElse("unknown"));
  }

  private static long number(Json.Obj fields, String key, long most) throws Json.Malformed {
    long number = fields.whole(key).orElse(-1);
    if (number < 0 || number > most) {
      throw new Json.Malformed("expected a number from 0 to " + most + " under \"" + key + "\"");
    }
    return number;
  }

  private static Memory memory(Json.Obj fields, String key) throws Json.Malformed {
    Optional<Memory> memory = fields.text(key).flatMap(Memory::parse);
    if (memory.isEmpty()) {
      throw new Json.Malformed("expected an amount such as 16384Mi under \"" + key + "\"");
    }
    return memory.get();
  }
}
