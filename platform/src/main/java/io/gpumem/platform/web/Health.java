package io.gpumem.platform.web;

/** How a part of the process is. */
public sealed interface Health {

  record Ok() implements Health {}

  /** The part does not work; the reason is for people. */
  record Bad(String why) implements Health {}

  static Health ok() {
    return new Ok();
  }

  static Health bad(String why) {
    return new Bad(why);
  }
}
