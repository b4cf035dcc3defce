package io.gpumem.extender.view;

import io.gpumem.platform.metrics.Counter;
import io.gpumem.platform.metrics.Metrics;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts annotations and quantities that can't be read, and logs each once: a watch shows the same
 * object again and again. Safe from any thread.
 */
public final class Unreadable implements BiConsumer<String, String> {

  private static final Logger log = LoggerFactory.getLogger(Unreadable.class);

  /** Subjects that are remembered; anybody can forge more, and then some are logged again. */
  private static final int MOST_SUBJECTS = 1_000;

  private final Counter count;
  private final Map<String, String> known = new LinkedHashMap<>();

  public Unreadable(Metrics metrics) {
    count =
        metrics.counter(
            "gpumem_extender_unreadable_total",
            "Annotations and quantities that could not be read, each time they were seen.");
  }

  @Override
  public void accept(String subject, String why) {
    count.increment();
    if (isNew(subject, why)) {
      log.atWarn().addKeyValue("subject", subject).addKeyValue("why", why).log("unreadable");
    }
  }

  private synchronized boolean isNew(String subject, String why) {
    boolean isNew = !why.equals(known.put(subject, why));
    if (known.size() > MOST_SUBJECTS) {
      known.remove(known.keySet().iterator().next());
    }
    return isNew;
  }
}
