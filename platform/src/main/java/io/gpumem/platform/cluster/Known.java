package io.gpumem.platform.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The trimmed values that a feed knows, by UID: all that is kept of the objects, and what an event
 * is worth. By UID and not by name, so that a recreated pod is another one even when its deletion
 * was not seen. Used by the feed's thread only.
 */
final class Known<T> {

  private Map<String, T> values = new LinkedHashMap<>();

  Optional<T> find(String uid) {
    return Optional.ofNullable(values.get(uid));
  }

  FeedEvent<T> replace(Map<String, T> fresh) {
    List<T> gone = new ArrayList<>();
    values.forEach(
        (uid, value) -> {
          if (!fresh.containsKey(uid)) {
            gone.add(value);
          }
        });
    values = new LinkedHashMap<>(fresh);
    return new FeedEvent.Listed<>(List.copyOf(values.values()), gone);
  }

  /** An empty event when the trimmed value is the one known already. */
  Optional<FeedEvent<T>> put(String uid, T now) {
    T before = values.put(uid, now);
    if (before == null) {
      return Optional.of(new FeedEvent.Appeared<>(now));
    }
    return before.equals(now)
        ? Optional.empty()
        : Optional.of(new FeedEvent.Changed<>(before, now));
  }

  Optional<FeedEvent<T>> remove(String uid) {
    return Optional.ofNullable(values.remove(uid)).map(FeedEvent.Gone::new);
  }
}
