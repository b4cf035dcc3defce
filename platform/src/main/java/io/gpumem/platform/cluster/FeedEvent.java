package io.gpumem.platform.cluster;

import java.util.List;

/**
 * What a {@link Feed} tells its listener. {@link Listed} is a boundary: the pods of one list have
 * no order among themselves but the list's, while {@link Appeared} events come in the order in
 * which the API server made the changes.
 */
public sealed interface FeedEvent<T> {

  /**
   * A whole list: the first one, one after a gap in the watch, or a periodic one.
   *
   * @param all everything that is there now, in the server's order (namespace, then name)
   * @param gone the last known values of what was there before and vanished unseen
   */
  record Listed<T>(List<T> all, List<T> gone) implements FeedEvent<T> {
    public Listed {
      all = List.copyOf(all);
      gone = List.copyOf(gone);
    }
  }

  /** An object that was not there before, or was not ours. */
  record Appeared<T>(T now) implements FeedEvent<T> {}

  /** An object of which the trimmed value changed. */
  record Changed<T>(T before, T now) implements FeedEvent<T> {}

  /** An object that was deleted, left the selection, or is ours no longer. */
  record Gone<T>(T last) implements FeedEvent<T> {}
}
