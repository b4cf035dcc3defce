package io.gpumem.core.reservation;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Units;
import java.util.Comparator;
import java.util.Map;

/** One container's request with the devices that were reserved for it. */
public record Request(
    PodUid pod, String container, Likeness likeness, Map<DeviceUuid, Long> reserved)
    implements Comparable<Request> {

  /** Both sides must walk the requests in one order; the order of the watch is not shared. */
  private static final Comparator<Request> ORDER =
      Comparator.comparing(Request::pod).thenComparing(Request::container);

  public Request {
    reserved = Units.copy(reserved);
  }

  @Override
  public int compareTo(Request other) {
    return ORDER.compare(this, other);
  }
}
