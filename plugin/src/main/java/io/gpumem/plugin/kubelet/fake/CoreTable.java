package io.gpumem.plugin.kubelet.fake;

import io.gpumem.core.units.PodName;
import io.gpumem.plugin.allocate.Reading;
import io.gpumem.plugin.kubelet.PodTable;
import io.gpumem.proto.podresources.v1.PodResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A kubelet's table as the plugin reads it, without a socket.
 *
 * @param core the kubelet of the moment, empty while none answers
 * @param nanos a monotonic clock
 */
public record CoreTable(Supplier<Optional<KubeletCore>> core, String resource, LongSupplier nanos)
    implements PodTable {

  private static final String NOBODY = "the kubelet does not answer";

  @Override
  public Listed list(Duration limit) {
    Optional<KubeletCore> there = core.get();
    if (there.isEmpty()) {
      return new Listed.Failed(NOBODY);
    }
    List<Reading> readings = new ArrayList<>();
    there.get().list().getPodResourcesList().forEach(pod -> readings.add(reading(pod)));
    return new Listed.Table(readings);
  }

  @Override
  public Held ask(PodName pod, Duration limit) {
    Optional<KubeletCore> there = core.get();
    if (there.isEmpty()) {
      return new Held.Unknown(NOBODY);
    }
    return there
        .get()
        .get(pod.namespace(), pod.name())
        .<Held>map(found -> new Held.Listed(reading(found)))
        .orElseGet(Held.Gone::new);
  }

  private Reading reading(PodResources pod) {
    return io.gpumem.plugin.kubelet.PodResources.reading(
        new PodName(pod.getNamespace(), pod.getName()),
        pod.getContainersList(),
        resource,
        nanos.getAsLong());
  }
}
