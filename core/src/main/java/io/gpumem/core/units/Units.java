package io.gpumem.core.units;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sums of units, and of units on devices. Amounts come from pod specs, where 2^63-1 is legal, so a
 * sum stops at the largest {@code long} instead of wrapping: too large to fit anywhere is what such
 * a request is.
 */
public final class Units {

  private Units() {}

  /** The sum of two amounts that are not negative, at most {@link Long#MAX_VALUE}. */
  public static long sum(long left, long right) {
    long sum = left + right;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** The sum of all amounts of a map. */
  public static long total(Map<DeviceUuid, Long> amounts) {
    return amounts.values().stream().mapToLong(Long::longValue).reduce(0, Units::sum);
  }

  /** Adds amounts on devices to those already in the map. */
  public static void add(Map<DeviceUuid, Long> into, Map<DeviceUuid, Long> amounts) {
    amounts.forEach((device, units) -> into.merge(device, units, Units::sum));
  }

  /** The larger of both amounts, device by device. */
  public static Map<DeviceUuid, Long> larger(
      Map<DeviceUuid, Long> left, Map<DeviceUuid, Long> right) {
    Map<DeviceUuid, Long> larger = new TreeMap<>(left);
    right.forEach((device, units) -> larger.merge(device, units, Math::max));
    return larger;
  }

  /** An immutable copy in the order of the devices, so that what is written from it is stable. */
  public static Map<DeviceUuid, Long> copy(Map<DeviceUuid, Long> amounts) {
    return Collections.unmodifiableMap(new TreeMap<>(amounts));
  }
}
