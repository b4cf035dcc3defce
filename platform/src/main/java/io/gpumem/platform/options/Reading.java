package io.gpumem.platform.options;

/** What a parser made of a text. */
public sealed interface Reading<T> {

  /** The text means this value. */
  record Good<T>(T value) implements Reading<T> {}

  /** The text means nothing; the problem completes "expected ... but was ...". */
  record Bad<T>(String problem) implements Reading<T> {}
}
