package io.gpumem.platform.options;

import io.gpumem.core.units.Memory;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The parsers of all kinds of values that options have. */
public final class Parsers {

  /** Nine digits of hours are 10^15 ms and more, far below the end of a long. */
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h)");

  private static final int HIGHEST_PORT = 65_535;

  private Parsers() {}

  /** Any text that is not empty. */
  public static Parser<String> text() {
    return Parser.of("a text", text -> Optional.of(text).filter(t -> !t.isBlank()));
  }

  /** {@code true} or {@code false}; an option with this parser is a switch. */
  public static Parser<Boolean> bool() {
    return Parser.of(
        "true or false",
        text ->
            switch (text) {
              case "true" -> Optional.of(true);
              case "false" -> Optional.of(false);
              default -> Optional.empty();
            });
  }

  /** A whole number from the least to the most, both included. */
  public static Parser<Integer> integer(int least, int most) {
    var whole = whole(least, most);
    return new Parser<>(
        whole.form(),
        text ->
            switch (whole.parse(text)) {
              case Reading.Good<Long> good -> new Reading.Good<>(Math.toIntExact(good.value()));
              case Reading.Bad<Long> bad -> new Reading.Bad<>(bad.problem());
            });
  }

  /** A whole number from the least to the most, both included. */
  public static Parser<Long> whole(long least, long most) {
    return Parser.of(
        "a whole number from " + least + " to " + most,
        text -> number(text).filter(value -> value >= least && value <= most));
  }

  /**
   * A duration such as {@code 200ms}, {@code 5s}, {@code 10m} or {@code 1h}, both ends included.
   */
  public static Parser<Duration> duration(Duration least, Duration most) {
    return Parser.of(
        "a duration from " + format(least) + " to " + format(most) + ", such as 200ms or 5s",
        text ->
            anyDuration(text)
                .filter(value -> value.compareTo(least) >= 0 && value.compareTo(most) <= 0));
  }

  /** An amount of GPU memory such as {@code 1Gi} or {@code 512Mi}. */
  public static Parser<Memory> memory() {
    return Parser.of("an amount of memory such as 1Gi or 512Mi", Memory::parse);
  }

  /** A path, which need not exist. */
  public static Parser<Path> path() {
    return Parser.of("a path", Parsers::anyPath);
  }

  /** {@code host:port}, {@code :port} for every address, {@code [::1]:port} for IPv6. */
  public static Parser<HostPort> hostPort() {
    return Parser.of("host:port or :port, such as 127.0.0.1:9400", Parsers::anyHostPort);
  }

  /** Values with commas between them, without blanks; an empty text is an empty list. */
  public static <T> Parser<List<T>> list(Parser<T> item) {
    return new Parser<>(
        "a list with commas, each " + item.form(),
        text -> {
          var values = new ArrayList<T>();
          for (var part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            switch (item.parse(part)) {
              case Reading.Good<T> good -> values.add(good.value());
              case Reading.Bad<T> bad -> {
                return new Reading.Bad<>(bad.problem());
              }
            }
          }
          return new Reading.Good<>(List.copyOf(values));
        });
  }

  /** One of an enum's names, in lower case with hyphens: {@code BEST_FIT} is {@code best-fit}. */
  public static <E extends Enum<E>> Parser<E> choice(Class<E> type) {
    var all = List.of(type.getEnumConstants());
    var names = all.stream().map(Parsers::format).collect(Collectors.joining(", "));
    return Parser.of(
        "one of " + names,
        text -> all.stream().filter(value -> format(value).equals(text)).findFirst());
  }

  /** A value that may be left out: an empty text is nothing. */
  public static <T> Parser<Optional<T>> optional(Parser<T> parser) {
    return new Parser<>(
        parser.form() + ", or nothing",
        text -> {
          if (text.isEmpty()) {
            return new Reading.Good<>(Optional.empty());
          }
          return switch (parser.parse(text)) {
            case Reading.Good<T> good -> new Reading.Good<>(Optional.of(good.value()));
            case Reading.Bad<T> bad -> new Reading.Bad<>(bad.problem());
          };
        });
  }

  /** An enum's value as {@link #choice} reads it. */
  public static String format(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A duration as {@link #duration} reads it; parts of a millisecond are cut off. */
  public static String format(Duration value) {
    long millis = value.toMillis();
    for (var unit : Unit.values()) {
      if (millis % unit.millis == 0 && millis > 0) {
        return millis / unit.millis + unit.suffix;
      }
    }
    return millis + "ms";
  }

  private enum Unit {
    HOURS("h", 3_600_000),
    MINUTES("m", 60_000),
    SECONDS("s", 1_000),
    MILLIS("ms", 1);

    private final String suffix;
    private final long millis;

    Unit(String suffix, long millis) {
      this.suffix = suffix;
      this.millis = millis;
    }
  }

  private static Optional<Long> number(String text) {
    try {
      // parseLong takes "+1" too, which nobody writes on purpose.
      return text.startsWith("+") ? Optional.empty() : Optional.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static Optional<Duration> anyDuration(String text) {
    var matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    return Arrays.stream(Unit.values())
        .filter(unit -> unit.suffix.equals(matcher.group(2)))
        .findFirst()
        .map(unit -> Duration.ofMillis(Long.parseLong(matcher.group(1)) * unit.millis));
  }

  private static Optional<Path> anyPath(String text) {
    try {
      return text.isBlank() ? Optional.empty() : Optional.of(Path.of(text));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  private static Optional<HostPort> anyHostPort(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      return Optional.empty();
    }
    var host = text.substring(0, colon);
    boolean isBracketed = host.startsWith("[") && host.endsWith("]") && host.length() > 2;
    var bare = isBracketed ? host.substring(1, host.length() - 1) : host;
    if ((bare.contains(":") && !isBracketed) || !bare.matches("[^\\s\\[\\]/]*")) {
      return Optional.empty();
    }
    return number(text.substring(colon + 1))
        .filter(port -> port >= 0 && port <= HIGHEST_PORT)
        .map(port -> new HostPort(bare, port));
  }
}
