package io.gpumem.platform.log;

import java.util.List;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.slf4j.event.Level;

/** Sends what is logged through java.util.logging to our sink. */
final class JulBridge extends Handler {

  /** Keeps the loggers whose levels we set: java.util.logging holds them weakly and forgets. */
  private static final List<Logger> KEPT =
      Quiet.PREFIXES.keySet().stream().map(Logger::getLogger).toList();

  private final SimpleFormatter formatter = new SimpleFormatter();

  private JulBridge() {}

  /** Replaces every handler of java.util.logging, and lets nothing through below the level. */
  static synchronized void install(Level level) {
    LogManager.getLogManager().reset();
    var root = Logger.getLogger("");
    root.addHandler(new JulBridge());
    root.setLevel(julLevel(level));
    for (var logger : KEPT) {
      logger.setLevel(julLevel(louder(level, Quiet.least(logger.getName()))));
    }
  }

  @Override
  public void publish(LogRecord record) {
    var level = slf4jLevel(record.getLevel());
    var sink = Logging.sink();
    if (sink.takes(level)) {
      var name = Optional.ofNullable(record.getLoggerName()).orElse("");
      // Formats lazily given parameters too, and never the time or the level.
      var message = String.valueOf(formatter.formatMessage(record));
      sink.write(level, LineLogger.shortName(name), message, List.of(), record.getThrown());
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}

  private static Level louder(Level one, Level other) {
    return one.toInt() >= other.toInt() ? one : other;
  }

  private static java.util.logging.Level julLevel(Level level) {
    return switch (level) {
      case ERROR -> java.util.logging.Level.SEVERE;
      case WARN -> java.util.logging.Level.WARNING;
      case INFO -> java.util.logging.Level.INFO;
      case DEBUG -> java.util.logging.Level.FINE;
      case TRACE -> java.util.logging.Level.FINEST;
    };
  }

  private static Level slf4jLevel(java.util.logging.Level level) {
    int value = level.intValue();
    if (value >= java.util.logging.Level.SEVERE.intValue()) {
      return Level.ERROR;
    } else if (value >= java.util.logging.Level.WARNING.intValue()) {
      return Level.WARN;
    } else if (value >= java.util.logging.Level.INFO.intValue()) {
      return Level.INFO;
    }
    return value >= java.util.logging.Level.FINE.intValue() ? Level.DEBUG : Level.TRACE;
  }
}
