package io.gpumem.platform.options;

import java.util.Locale;
import java.util.Optional;

/**
 * One line of the configuration's table; declared once, as a constant.
 *
 * @param flag the name on the command line, {@code --resource-name}
 * @param env its twin in the environment, {@code GPUMEM_RESOURCE_NAME}
 * @param defaultText what counts when neither is given; empty when one must be
 * @param help one line, a sentence
 * @param secret whether the value must not be shown
 * @param isSwitch whether the flag alone means true
 */
public record Option<T>(
    String flag,
    String env,
    Optional<String> defaultText,
    Parser<T> parser,
    String help,
    boolean secret,
    boolean isSwitch) {

  /** What every variable of ours starts with. */
  static final String ENV_PREFIX = "GPUMEM_";

  public Option {
    if (!flag.matches("--[a-z0-9]+(-[a-z0-9]+)*")) {
      throw new IllegalArgumentException("expected a flag such as --log-level but was " + flag);
    }
    if (help.isBlank() || help.contains("\n")) {
      throw new IllegalArgumentException("expected one line of help for " + flag);
    }
    if (defaultText.isPresent() && parser.parse(defaultText.get()) instanceof Reading.Bad<T> bad) {
      throw new IllegalArgumentException("expected a good default of " + flag + ": " + bad);
    }
  }

  /** An option with a default. */
  public static <T> Option<T> of(String flag, Parser<T> parser, String defaultText, String help) {
    return named(flag, Optional.of(defaultText), parser, help, false);
  }

  /** An option that must be given. */
  public static <T> Option<T> required(String flag, Parser<T> parser, String help) {
    return named(flag, Optional.empty(), parser, help, false);
  }

  /** An option that may be left out, and then has no value. */
  public static <T> Option<Optional<T>> optional(String flag, Parser<T> parser, String help) {
    return named(flag, Optional.of(""), Parsers.optional(parser), help, false);
  }

  /** A switch, off by default: {@code --flag} or {@code --flag=true}. */
  public static Option<Boolean> off(String flag, String help) {
    return named(flag, Optional.of("false"), Parsers.bool(), help, true);
  }

  /** A switch, on by default: {@code --flag=false} turns it off. */
  public static Option<Boolean> on(String flag, String help) {
    return named(flag, Optional.of("true"), Parsers.bool(), help, true);
  }

  /** The same option with its value hidden wherever the configuration is shown. */
  public Option<T> asSecret() {
    return new Option<>(flag, env, defaultText, parser, help, true, isSwitch);
  }

  /** The flag without its dashes, which is the option's key in the log. */
  public String name() {
    return flag.substring(2);
  }

  static String envOf(String flag) {
    return ENV_PREFIX + flag.substring(2).toUpperCase(Locale.ROOT).replace('-', '_');
  }

  private static <T> Option<T> named(
      String flag, Optional<String> defaultText, Parser<T> parser, String help, boolean isSwitch) {
    return new Option<>(flag, envOf(flag), defaultText, parser, help, false, isSwitch);
  }
}
