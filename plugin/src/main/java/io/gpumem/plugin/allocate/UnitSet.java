package io.gpumem.plugin.allocate;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * An immutable set of device IDs, one bit each. A node has up to 5,000 of them, the kubelet names
 * most of them in every preferred call, and it waits for the answer: as hashed records, each look
 * at them took longer than the decision. Safe for any thread.
 */
public final class UnitSet extends AbstractSet<DeviceId> {

  static final UnitSet NONE = new UnitSet(Map.of());

  /** No device has an empty set of numbers. */
  private final Map<DeviceUuid, BitSet> numbers;

  private UnitSet(Map<DeviceUuid, BitSet> numbers) {
    this.numbers = numbers;
  }

  static UnitSet copyOf(Collection<DeviceId> ids) {
    if (ids instanceof UnitSet units) {
      return units;
    }
    Map<DeviceUuid, BitSet> numbers = new HashMap<>();
    ids.forEach(id -> bits(numbers, id.device()).set(id.number()));
    return new UnitSet(numbers);
  }

  /** The IDs among these texts; a text that is none is left out. */
  static UnitSet parsed(Iterable<String> texts) {
    Map<DeviceUuid, BitSet> numbers = new HashMap<>();
    // Thousands of texts name a few devices: each name is looked at once.
    Map<String, BitSet> byName = new HashMap<>();
    for (String text : texts) {
      String name = DeviceId.device(text);
      BitSet known = byName.get(name);
      if (known != null) {
        DeviceId.number(text, name.length()).ifPresent(known::set);
        continue;
      }
      Optional<DeviceId> id = DeviceId.parse(text);
      if (id.isPresent()) {
        BitSet first = bits(numbers, id.get().device());
        first.set(id.get().number());
        byName.put(name, first);
      }
    }
    return new UnitSet(numbers);
  }

  private static BitSet bits(Map<DeviceUuid, BitSet> numbers, DeviceUuid device) {
    return numbers.computeIfAbsent(device, uuid -> new BitSet());
  }

  UnitSet plus(UnitSet more) {
    if (more.isEmpty() || isEmpty()) {
      return isEmpty() ? more : this;
    }
    Map<DeviceUuid, BitSet> sum = new HashMap<>(numbers);
    more.numbers.forEach(
        (device, others) ->
            sum.merge(
                device,
                others,
                (mine, theirs) -> {
                  BitSet both = copy(mine);
                  both.or(theirs);
                  return both;
                }));
    return new UnitSet(sum);
  }

  UnitSet minus(UnitSet less) {
    if (isDisjoint(less)) {
      return this;
    }
    Map<DeviceUuid, BitSet> rest = new HashMap<>();
    numbers.forEach(
        (device, mine) -> {
          BitSet left = copy(mine);
          left.andNot(less.of(device));
          if (!left.isEmpty()) {
            rest.put(device, left);
          }
        });
    return new UnitSet(rest);
  }

  /** The IDs that both have. */
  UnitSet and(UnitSet other) {
    return isDisjoint(other) ? NONE : minus(minus(other));
  }

  boolean isDisjoint(UnitSet other) {
    return numbers.entrySet().stream()
        .noneMatch(mine -> mine.getValue().intersects(other.of(mine.getKey())));
  }

  /** Only the IDs of one device. */
  UnitSet on(DeviceUuid device) {
    return numbers.containsKey(device) ? new UnitSet(Map.of(device, of(device))) : NONE;
  }

  long count(DeviceUuid device) {
    return of(device).cardinality();
  }

  /** How many units of each device. */
  Map<DeviceUuid, Long> counts() {
    Map<DeviceUuid, Long> counts = new TreeMap<>();
    numbers.forEach((device, mine) -> counts.put(device, (long) mine.cardinality()));
    return counts;
  }

  Set<DeviceUuid> devices() {
    return numbers.keySet();
  }

  /** The IDs of one device in the order of their numbers, at most so many. */
  List<DeviceId> first(DeviceUuid device, long most) {
    List<DeviceId> first = new ArrayList<>();
    BitSet mine = of(device);
    for (int n = mine.nextSetBit(0); n >= 0 && first.size() < most; n = mine.nextSetBit(n + 1)) {
      first.add(new DeviceId(device, n));
    }
    return first;
  }

  /** In the order of devices and numbers. */
  List<DeviceId> sorted() {
    List<DeviceId> sorted = new ArrayList<>();
    numbers.keySet().stream().sorted().forEach(device -> sorted.addAll(first(device, size())));
    return sorted;
  }

  private BitSet of(DeviceUuid device) {
    return numbers.getOrDefault(device, new BitSet());
  }

  private static BitSet copy(BitSet bits) {
    return (BitSet) bits.clone();
  }

  @Override
  public int size() {
    return numbers.values().stream().mapToInt(BitSet::cardinality).sum();
  }

  @Override
  public boolean isEmpty() {
    return numbers.isEmpty();
  }

  @Override
  public boolean contains(Object other) {
    return other instanceof DeviceId id && of(id.device()).get(id.number());
  }

  @Override
  public boolean containsAll(Collection<?> others) {
    return others instanceof UnitSet units
        ? units.minus(this).isEmpty()
        : super.containsAll(others);
  }

  @Override
  public Iterator<DeviceId> iterator() {
    return sorted().iterator();
  }
}
