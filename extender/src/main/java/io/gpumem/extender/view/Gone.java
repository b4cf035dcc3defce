package io.gpumem.extender.view;

import io.gpumem.core.units.PodUid;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The pods that the watch showed gone not long ago. A UID never comes back, so that an answer about
 * such a pod is late and means nothing. Used by the view's writer alone.
 */
final class Gone {

  /** More than go in the seconds for which an answer can be late; then the oldest is dropped. */
  static final int MOST = 4_096;

  private final Set<PodUid> uids = new LinkedHashSet<>();

  void add(PodUid uid) {
    uids.add(uid);
    if (uids.size() > MOST) {
      uids.remove(uids.iterator().next());
    }
  }

  void remove(PodUid uid) {
    uids.remove(uid);
  }

  boolean contains(PodUid uid) {
    return uids.contains(uid);
  }
}
