package io.gpumem.core.facts;

import java.util.Optional;

/** A text of the world, read: there and understood, not there, or there and not understood. */
public sealed interface Decoded<T> {

  /** The text was understood. */
  record Ok<T>(T value) implements Decoded<T> {}

  /** There is no such text. */
  record Absent<T>() implements Decoded<T> {}

  /** The text is not what we write; it is treated as absent and counted. */
  record Malformed<T>(String why) implements Decoded<T> {}

  static <T> Decoded<T> ok(T value) {
    return new Ok<>(value);
  }

  static <T> Decoded<T> absent() {
    return new Absent<>();
  }

  static <T> Decoded<T> malformed(String why) {
    return new Malformed<>(why);
  }

  /** The value where there is one to believe. */
  default Optional<T> understood() {
    return this instanceof Ok<T>(T value) ? Optional.of(value) : Optional.empty();
  }

  /** Why the text was not understood; empty when it was, or when there is none. */
  default Optional<String> problem() {
    return this instanceof Malformed<T>(String why) ? Optional.of(why) : Optional.empty();
  }
}
