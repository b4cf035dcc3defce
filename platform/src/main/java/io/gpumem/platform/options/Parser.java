package io.gpumem.platform.options;

import java.util.Optional;
import java.util.function.Function;

/**
 * Reads a value from text. Pure: the same text always gives the same value, and nothing outside is
 * asked (a path need not exist).
 *
 * @param form what a good text looks like, to complete "expected ...": "a duration such as 200ms"
 */
public record Parser<T>(String form, Function<String, Reading<T>> read) {

  /** A parser from a function that gives nothing for a bad text. */
  public static <T> Parser<T> of(String form, Function<String, Optional<T>> read) {
    return new Parser<>(form, text -> reading(form, text, read.apply(text)));
  }

  Reading<T> parse(String text) {
    return read.apply(text);
  }

  private static <T> Reading<T> reading(String form, String text, Optional<T> value) {
    return value
        .<Reading<T>>map(Reading.Good::new)
        .orElseGet(() -> new Reading.Bad<>("expected " + form + " but was \"" + text + "\""));
  }
}
