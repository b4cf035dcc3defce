package io.gpumem.plugin.kubelet;

import io.gpumem.plugin.allocate.HolderCheck;
import io.gpumem.plugin.allocate.Reading;
import java.time.Duration;
import java.util.List;

/**
 * The kubelet's table as the plugin can read it: the whole of it, or one pod. {@link PodResources}
 * reads it over the socket.
 */
public interface PodTable extends HolderCheck {

  /** What a List came to. */
  sealed interface Listed {
    /** The whole table. */
    record Table(List<Reading> readings) implements Listed {}

    /** The kubelet could not be asked; it may be starting, or over its limit of calls. */
    record Failed(String why) implements Listed {}
  }

  /** Why a Get is not known, beyond {@link HolderCheck.Held}: this kubelet has no Get. */
  String NO_GET = "the kubelet has no Get";

  /** Reads the whole table; answers within the limit whatever happens. */
  Listed list(Duration limit);
}
