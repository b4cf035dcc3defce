package io.gpumem.core.wire;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.inventory.MigSlice;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** The golden texts, and the values that they stand for. */
final class Golden {

  /** The names of all golden files. */
  static final List<String> NAMES =
      List.of("devices", "allocations", "reservation", "reservation-choice", "summary", "labels");

  static final DeviceUuid FIRST = new DeviceUuid("GPU-5a1f0c9e-8d2b-4c7a-9e10-3b6f2d8c4a77");
  static final DeviceUuid SLICE = new DeviceUuid("MIG-0c9e5a1f-2b8d-5a4c-909e-8c4a773b6f2d");
  static final DeviceUuid LAST = new DeviceUuid("GPU-e10c9e5a-7a4c-4d2b-9f1a-8d2b3b6f2d8c");

  private static final String MODEL = "NVIDIA H200";

  private Golden() {}

  /** The text of a golden file, without the line feed at its end. */
  static String text(String name) {
    String path = "/wire/" + name + ".golden";
    try (InputStream file = Golden.class.getResourceAsStream(path)) {
      if (file == null) {
        throw new IllegalArgumentException("expected a golden file at " + path);
      }
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      return text.substring(0, text.length() - 1);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  static Inventory inventory() {
    var parent = new DeviceUuid("GPU-77c4a8d2-2d8c-4b6f-8e10-0c9e5a1f8d2b");
    var slice =
        new Device(
            SLICE,
            1,
            MODEL + " MIG 1g.18gb",
            Optional.of(new MigSlice(parent, "1g.18gb")),
            Memory.ofMib(16384),
            Memory.ofMib(16384),
            16,
            OptionalInt.of(1),
            Health.HEALTHY);
    var lost = new Health.Unhealthy("XID 79: GPU has fallen off the bus");
    return new Inventory(
        Memory.ofGib(1),
        List.of(
            whole(FIRST, 0, OptionalInt.of(0), Health.HEALTHY),
            slice,
            whole(LAST, 2, OptionalInt.empty(), lost)));
  }

  private static Device whole(DeviceUuid uuid, int index, OptionalInt numa, Health health) {
    Memory memory = Memory.ofMib(143771);
    Memory usable = Memory.ofMib(143155);
    return new Device(uuid, index, MODEL, Optional.empty(), memory, usable, 139, numa, health);
  }

  static Allocations allocations() {
    Map<String, Map<DeviceUuid, Long>> none = Map.of();
    return new Allocations(
        Map.of(
            new PodUid("0b6c1c52-3f0e-4a39-8f6e-6d1f6b0a2c11"),
            new PodAllocation(
                new PodName("team-a", "train-0"), reservation().containers(), Map.of()),
            new PodUid("4d1f6b0a-8f6e-4a39-9c52-0b6c1c523f0e"),
            new PodAllocation(
                new PodName("team-a", "warm-up-1"),
                Map.of("main", Map.of(LAST, 4L)),
                Map.of(LAST, 6L)),
            new PodUid("9c523f0e-6d1f-4b0a-8c11-4a398f6e0b6c"),
            new PodAllocation(new PodName("team-b", "started-too-early"), none, Map.of()),
            new PodUid("a2c114d1-3f0e-4c52-8b6c-f6b0a2c11d1f"),
            new PodAllocation(
                new PodName("team-b", "wide"), reservationWithChoice().containers(), Map.of())),
        Map.of(new PodName("team-c", "nobody-knows"), Map.of(FIRST, 3L)));
  }

  static Reservation reservation() {
    return new Reservation(
        new PodUid("0b6c1c52-3f0e-4a39-8f6e-6d1f6b0a2c11"),
        new NodeName("n1"),
        DeviceChoice.ANY,
        Map.of("main", Map.of(FIRST, 8L), "loader", Map.of(FIRST, 2L)));
  }

  static Reservation reservationWithChoice() {
    return new Reservation(
        new PodUid("a2c114d1-3f0e-4c52-8b6c-f6b0a2c11d1f"),
        new NodeName("n1"),
        new DeviceChoice(2, Set.of(MODEL, "NVIDIA H100 80GB HBM3")),
        Map.of("main", Map.of(FIRST, 40L, LAST, 40L)));
  }
}
