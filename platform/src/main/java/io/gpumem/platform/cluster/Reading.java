package io.gpumem.platform.cluster;

/** What a read of one object brought. */
public sealed interface Reading<T> {

  /** The object, trimmed. */
  record Found<T>(T value) implements Reading<T> {}

  /** The server said that there is no such object, or trim said that it is not ours. */
  record Absent<T>() implements Reading<T> {}

  /** Nothing is known: no answer, or one that is no object. */
  record Unread<T>(String why) implements Reading<T> {}
}
