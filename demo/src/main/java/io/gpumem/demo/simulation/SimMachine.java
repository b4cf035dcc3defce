package io.gpumem.demo.simulation;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.plugin.nvml.Condition;
import io.gpumem.plugin.nvml.GpuFacts;
import io.gpumem.plugin.nvml.MigFacts;
import io.gpumem.plugin.nvml.Scan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** A node's GPUs as NVML would show them: two to four, some cut by MIG, to be broken and mended. */
final class SimMachine {

  /** What a device is, and how many units of 1 GiB it has. */
  private record Card(DeviceUuid uuid, String model, int gib, Optional<MigFacts> mig) {}

  private static final List<Integer> SIZES = List.of(6, 8, 12, 16);
  private static final List<String> MODELS = List.of("Card S", "Card L");

  private final List<Card> cards = new ArrayList<>();
  private final Map<DeviceUuid, String> broken = new HashMap<>();
  private final Set<DeviceUuid> absent = new HashSet<>();
  private boolean hangs;

  SimMachine(String node, Dice dice) {
    int gpus = dice.between(1, 3);
    for (int i = 0; i < gpus; i++) {
      String model = dice.of(MODELS);
      if (dice.oneIn(4)) {
        DeviceUuid parent = uuid("GPU-", node, 8 + i);
        addMig(node, parent, model, i, dice.between(1, 2));
      } else {
        cards.add(new Card(uuid("GPU-", node, i), model, dice.of(SIZES), Optional.empty()));
      }
    }
  }

  private void addMig(String node, DeviceUuid parent, String model, int gpu, int slices) {
    for (int slice = 0; slice < slices; slice++) {
      MigFacts mig = new MigFacts(parent, "1g.5gb", slice + 1, 0, List.of());
      cards.add(new Card(uuid("MIG-", node, 16 + 4 * gpu + slice), model, 5, Optional.of(mig)));
    }
  }

  private static DeviceUuid uuid(String kind, String node, int number) {
    return new DeviceUuid(
        kind
            + "%08x-0000-4000-8000-%012x"
                .formatted(Math.floorMod(node.hashCode(), 0xffff), number));
  }

  List<DeviceUuid> devices() {
    return cards.stream().map(Card::uuid).toList();
  }

  /** Units that the kubelet may sell of a device. */
  long units(DeviceUuid device) {
    return cards.stream()
        .filter(card -> card.uuid().equals(device))
        .findFirst()
        .orElseThrow()
        .gib();
  }

  void breakDown(DeviceUuid device, String why) {
    broken.put(device, why);
  }

  void vanish(DeviceUuid device) {
    absent.add(device);
  }

  void mend(DeviceUuid device) {
    broken.remove(device);
    absent.remove(device);
  }

  void mendAll() {
    broken.clear();
    absent.clear();
    hangs = false;
  }

  void hang(boolean now) {
    hangs = now;
  }

  boolean hangs() {
    return hangs;
  }

  Scan.Seen scan() {
    List<GpuFacts> facts = new ArrayList<>();
    for (int i = 0; i < cards.size(); i++) {
      Card card = cards.get(i);
      if (absent.contains(card.uuid())) {
        continue;
      }
      Condition condition =
          Optional.ofNullable(broken.get(card.uuid()))
              .<Condition>map(Condition.Broken::new)
              .orElse(Condition.WORKING);
      facts.add(
          new GpuFacts(
              card.uuid(),
              i,
              i,
              card.model(),
              Optional.of(Memory.ofGib(card.gib())),
              Memory.ZERO,
              Memory.ZERO,
              OptionalInt.empty(),
              card.mig(),
              condition));
    }
    return new Scan.Seen(facts, List.of(), "simulated");
  }
}
