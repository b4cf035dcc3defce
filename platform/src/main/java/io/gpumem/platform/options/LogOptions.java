package io.gpumem.platform.options;

import io.gpumem.platform.log.LogFormat;
import io.gpumem.platform.log.Logging;
import org.slf4j.event.Level;

/** The options on logging, the same for every program. */
public final class LogOptions {

  public static final Option<LogFormat> FORMAT =
      Option.of(
          "--log-format",
          Parsers.choice(LogFormat.class),
          "json",
          "How log lines look: text for people, json for machines.");

  public static final Option<Level> LEVEL =
      Option.of(
          "--log-level",
          Parsers.choice(Level.class),
          "info",
          "The least level that is logged; debug says why nothing happened.");

  private LogOptions() {}

  /** Configures logging; to be called once, before anything is logged. */
  public static void apply(Values values) {
    Logging.configure(values.get(FORMAT), values.get(LEVEL));
  }
}
