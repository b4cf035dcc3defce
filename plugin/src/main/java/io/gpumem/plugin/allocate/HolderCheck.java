package io.gpumem.plugin.allocate;

import io.gpumem.core.units.PodName;
import java.time.Duration;

/**
 * Asks the kubelet what one pod holds, for the second guard. The real one is PodResources Get; it
 * does not decide, does not retry, and changes nothing in the kubelet (unlike List).
 */
public interface HolderCheck {

  /** What the kubelet says of a pod name. */
  sealed interface Held {
    /** It lists the pod, with these IDs, which may be none. */
    record Listed(Reading reading) implements Held {}

    /** It knows no such pod. */
    record Gone() implements Held {}

    /** It could not be asked in time. */
    record Unknown(String why) implements Held {}
  }

  /** Asks, and answers within the limit whatever happens. */
  Held ask(PodName pod, Duration limit);
}
