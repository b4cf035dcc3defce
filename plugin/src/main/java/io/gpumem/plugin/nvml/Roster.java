package io.gpumem.plugin.nvml;

import io.gpumem.core.units.DeviceUuid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Remembers the GPUs that this process has seen, and turns the sights of one scan into devices.
 *
 * <p>Goals: a GPU that was there and is lost stays, broken, with what was last known of it; nobody
 * else's number moves for that; memory is never counted twice. Not here: how long a device has to
 * be well before it is trusted again.
 *
 * <p>A GPU whose UUID can't be read any more is told by its place: the driver lists GPUs in the
 * order of the PCI bus, so an unreadable one between two that answer is the known one between them.
 * A MIG device that is gone from a GPU that answers was unmade and is forgotten, unless a slot
 * could not be read.
 *
 * <p>Not thread-safe; it belongs to the one scan that runs.
 */
public final class Roster {

  /**
   * @param strangers how many unreadable GPUs were never seen before; each is left out
   * @param sound false when a GPU is missing, unreadable or broken
   */
  public record Settled(
      List<GpuFacts> devices, List<LeftOut> leftOut, int strangers, boolean sound) {}

  /** A GPU and its devices; a whole one has itself as its only device. */
  private record Card(Optional<PciAddress> bus, List<GpuFacts> devices, boolean whole) {
    Card broken(String why) {
      return new Card(bus, devices.stream().map(device -> device.broken(why)).toList(), whole);
    }

    boolean isBefore(Card other) {
      return bus.isPresent()
          && other.bus().isPresent()
          && bus.get().compareTo(other.bus().get()) < 0;
    }
  }

  /** A place in the driver's list that holds a number, though nothing is known of its GPU. */
  private static final Card STRANGER = new Card(Optional.empty(), List.of(), true);

  /** Sorts what is on no bus behind everything that is. */
  private static final PciAddress BEYOND = new PciAddress(Long.MAX_VALUE, 0, 0, 0);

  private final Map<DeviceUuid, Card> known = new HashMap<>();

  /** The addresses of all GPUs seen so far, the lost ones included. */
  Set<PciAddress> addresses() {
    return known.values().stream().flatMap(card -> card.bus().stream()).collect(Collectors.toSet());
  }

  /**
   * @param sights in the driver's order
   */
  public Settled settle(List<Sight> sights) {
    List<LeftOut> leftOut = new ArrayList<>();
    List<Card> places = new ArrayList<>();
    Map<DeviceUuid, Card> missing = missingFrom(sights);
    for (int at = 0; at < sights.size(); at++) {
      switch (sights.get(at)) {
        case Sight.Opened opened -> places.add(remember(opened, leftOut));
        case Sight.Unreadable unreadable ->
            places.add(
                lost(unreadable, places, sights.subList(at + 1, sights.size()), missing)
                    .orElseGet(() -> stranger(unreadable, leftOut)));
      }
    }
    missing.values().forEach(card -> insert(card, places));
    List<GpuFacts> devices = numbered(places);
    boolean sound =
        sights.stream().allMatch(Sight.Opened.class::isInstance)
            && missing.isEmpty()
            && devices.stream().allMatch(device -> device.condition() instanceof Condition.Working);
    int strangers = (int) places.stream().filter(STRANGER::equals).count();
    return new Settled(devices, List.copyOf(leftOut), strangers, sound);
  }

  private Map<DeviceUuid, Card> missingFrom(List<Sight> sights) {
    Set<DeviceUuid> opened = new HashSet<>();
    for (Sight sight : sights) {
      if (sight instanceof Sight.Opened answer) {
        opened.add(answer.gpu());
      }
    }
    Comparator<Map.Entry<DeviceUuid, Card>> byBus =
        Comparator.comparing(entry -> entry.getValue().bus().orElse(BEYOND));
    Map<DeviceUuid, Card> missing = new LinkedHashMap<>();
    known.entrySet().stream()
        .filter(entry -> !opened.contains(entry.getKey()))
        .sorted(byBus.thenComparing(Map.Entry::getKey))
        .forEach(entry -> missing.put(entry.getKey(), entry.getValue()));
    return missing;
  }

  private Card remember(Sight.Opened opened, List<LeftOut> leftOut) {
    Card last = known.getOrDefault(opened.gpu(), STRANGER);
    Map<DeviceUuid, GpuFacts> before =
        last.devices().stream().collect(Collectors.toMap(GpuFacts::uuid, Function.identity()));
    List<GpuFacts> devices = new ArrayList<>();
    for (GpuFacts device : withoutSplitInstances(opened, leftOut)) {
      devices.add(withLastKnown(device, Optional.ofNullable(before.get(device.uuid()))));
    }
    opened
        .gap()
        .ifPresent(
            why -> {
              if (!keptUnread(before, devices, why)) {
                leftOut.add(new LeftOut("MIG devices of " + opened.gpu(), why));
              }
            });
    boolean whole = devices.size() == 1 && devices.getFirst().mig().isEmpty();
    Card card = new Card(opened.bus().or(last::bus), List.copyOf(devices), whole);
    known.put(opened.gpu(), card);
    return card;
  }

  /** A broken device tells little of itself; what it was stays true. */
  private static GpuFacts withLastKnown(GpuFacts device, Optional<GpuFacts> before) {
    if (device.condition() instanceof Condition.Broken(String why) && device.total().isEmpty()) {
      return before.map(facts -> facts.broken(why)).orElse(device);
    }
    return device;
  }

  /** Compute instances of one GPU instance share its memory, and each reports all of it. */
  private static List<GpuFacts> withoutSplitInstances(Sight.Opened opened, List<LeftOut> leftOut) {
    Map<Integer, Long> parts =
        opened.devices().stream()
            .flatMap(device -> device.mig().stream())
            .collect(Collectors.groupingBy(MigFacts::gpuInstance, Collectors.counting()));
    parts.forEach(
        (instance, count) -> {
          if (count > 1) {
            leftOut.add(
                new LeftOut(
                    "GPU instance " + instance + " of " + opened.gpu(),
                    "it is split into " + count + " compute instances that share one memory"));
          }
        });
    return opened.devices().stream()
        .filter(
            device ->
                device
                    .mig()
                    .map(mig -> parts.getOrDefault(mig.gpuInstance(), 0L) == 1)
                    .orElse(true))
        .toList();
  }

  /** Whether there was any device that the unread slot could be. */
  private static boolean keptUnread(
      Map<DeviceUuid, GpuFacts> before, List<GpuFacts> devices, String why) {
    Set<Integer> taken =
        devices.stream()
            .flatMap(device -> device.mig().stream())
            .map(MigFacts::gpuInstance)
            .collect(Collectors.toSet());
    List<GpuFacts> unread =
        before.values().stream()
            .filter(
                device ->
                    device
                        .mig()
                        .map(MigFacts::gpuInstance)
                        .filter(id -> !taken.contains(id))
                        .isPresent())
            .map(device -> device.broken(why))
            .toList();
    devices.addAll(unread);
    return !unread.isEmpty();
  }

  /** The known GPU that an unreadable one must be: by name, else by its place on the bus. */
  private static Optional<Card> lost(
      Sight.Unreadable unreadable,
      List<Card> placed,
      List<Sight> following,
      Map<DeviceUuid, Card> missing) {
    Optional<DeviceUuid> name =
        unreadable.gpu().isPresent()
            ? unreadable.gpu().filter(missing::containsKey)
            : missing.entrySet().stream()
                .filter(entry -> placed.stream().noneMatch(entry.getValue()::isBefore))
                .filter(entry -> !isAfterOne(entry.getValue(), following))
                .map(Map.Entry::getKey)
                .findFirst();
    return name.map(missing::remove).map(card -> card.broken(unreadable.why()));
  }

  private static boolean isAfterOne(Card card, List<Sight> following) {
    for (Sight sight : following) {
      if (sight instanceof Sight.Opened opened
          && new Card(opened.bus(), List.of(), false).isBefore(card)) {
        return true;
      }
    }
    return false;
  }

  private static Card stranger(Sight.Unreadable unreadable, List<LeftOut> leftOut) {
    String what = unreadable.gpu().map(DeviceUuid::text).orElse("GPU " + unreadable.driverIndex());
    leftOut.add(new LeftOut(what, unreadable.why()));
    return STRANGER;
  }

  private static void insert(Card card, List<Card> places) {
    int at = 0;
    while (at < places.size() && !card.isBefore(places.get(at))) {
      at++;
    }
    places.add(at, card.broken("the driver no longer lists it"));
  }

  private static List<GpuFacts> numbered(List<Card> places) {
    List<GpuFacts> devices = new ArrayList<>();
    int number = 0;
    for (Card card : places) {
      if (card.whole()) {
        int own = number++;
        card.devices().forEach(device -> devices.add(device.withIndex(own)));
      }
    }
    for (Card card : places) {
      if (!card.whole()) {
        for (GpuFacts device : inOrder(card.devices())) {
          devices.add(device.withIndex(number++));
        }
      }
    }
    return List.copyOf(devices);
  }

  private static List<GpuFacts> inOrder(List<GpuFacts> devices) {
    return devices.stream()
        .sorted(
            Comparator.comparing(
                device -> device.mig().orElseThrow(),
                Comparator.comparingInt(MigFacts::gpuInstance)
                    .thenComparingInt(MigFacts::computeInstance)))
        .toList();
  }
}
