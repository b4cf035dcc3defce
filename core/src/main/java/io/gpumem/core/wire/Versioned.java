package io.gpumem.core.wire;

import io.gpumem.core.facts.Decoded;
import io.gpumem.core.units.DeviceUuid;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What all our JSON texts share: an object that says its version. A reader ignores fields it does
 * not know, and treats a text that it can't read as absent.
 */
final class Versioned {

  private static final long VERSION = 1;

  /** A forged text can put a quarter of a MiB into a message, and every message is logged. */
  private static final int LONGEST_WHY = 200;

  private Versioned() {}

  /** Reads the fields of a text of our version. */
  interface Fields<T> {
    T read(Json.Obj fields) throws Json.Malformed;
  }

  static <T> Decoded<T> decode(Optional<String> text, Fields<T> fields) {
    if (text.isEmpty()) {
      return Decoded.absent();
    }
    try {
      if (!(Json.parse(text.get()) instanceof Json.Obj object)) {
        return Decoded.malformed("expected an object");
      }
      if (object.whole("v").orElse(0) != VERSION) {
        return Decoded.malformed("expected \"v\":" + VERSION);
      }
      return Decoded.ok(fields.read(object));
    } catch (Json.Malformed | IllegalArgumentException wrong) {
      // Compact constructors refuse nonsense: here the nonsense is the world's, not ours.
      return Decoded.malformed(shortened(String.valueOf(wrong.getMessage())));
    }
  }

  private static String shortened(String why) {
    return why.length() <= LONGEST_WHY ? why : why.substring(0, LONGEST_WHY) + "...";
  }

  static Map<String, Json> fields() {
    Map<String, Json> fields = new LinkedHashMap<>();
    fields.put("v", new Json.Num(Long.toString(VERSION)));
    return fields;
  }

  static Json number(long value) {
    return new Json.Num(Long.toString(value));
  }

  /** Devices to units: {@code {"GPU-…":8}}. */
  static Json amounts(Map<DeviceUuid, Long> amounts) {
    Map<String, Json> fields = new LinkedHashMap<>();
    new TreeMap<>(amounts).forEach((device, units) -> fields.put(device.text(), number(units)));
    return new Json.Obj(fields);
  }

  static Map<DeviceUuid, Long> readAmounts(Json json) throws Json.Malformed {
    if (!(json instanceof Json.Obj object)) {
      throw new Json.Malformed("expected devices and their units");
    }
    Map<DeviceUuid, Long> amounts = new TreeMap<>();
    for (String device : object.fields().keySet()) {
      long units = object.whole(device).orElse(0);
      if (units <= 0) {
        throw new Json.Malformed("expected units above zero on " + device);
      }
      amounts.put(new DeviceUuid(device), units);
    }
    return amounts;
  }

  static Json containers(Map<String, Map<DeviceUuid, Long>> containers) {
    Map<String, Json> fields = new LinkedHashMap<>();
    new TreeMap<>(containers).forEach((name, amounts) -> fields.put(name, amounts(amounts)));
    return new Json.Obj(fields);
  }

  static Map<String, Map<DeviceUuid, Long>> readContainers(Json.Obj object) throws Json.Malformed {
    Map<String, Map<DeviceUuid, Long>> containers = new TreeMap<>();
    for (Map.Entry<String, Json> field : object.fields().entrySet()) {
      containers.put(field.getKey(), readAmounts(field.getValue()));
    }
    return containers;
  }

  static String required(Json.Obj object, String key) throws Json.Malformed {
    Optional<String> text = object.text(key);
    if (text.isEmpty()) {
      throw new Json.Malformed("expected a text under \"" + key + "\"");
    }
    return text.get();
  }
}
