package io.gpumem.platform.cluster;

/** What was read from a watch. The first three carry the place in the history reached by it. */
sealed interface WatchItem<O> {

  /** The object was added or modified. */
  record Put<O>(O object, String version) implements WatchItem<O> {}

  /** The object was deleted or left the selection. */
  record Removed<O>(O object, String version) implements WatchItem<O> {}

  /** Nothing happened up to here. */
  record Bookmark<O>(String version) implements WatchItem<O> {}

  /** The server has forgotten the place where this watch began: list again. */
  record Expired<O>(String why) implements WatchItem<O> {}

  /** Something that can't be read, or an error of the server: what it hides is lost, list again. */
  record Garbage<O>(String why) implements WatchItem<O> {}

  /** The connection is over. All before it was whole, so the watch can go on from there. */
  record Ended<O>(String why, boolean clean) implements WatchItem<O> {}
}
