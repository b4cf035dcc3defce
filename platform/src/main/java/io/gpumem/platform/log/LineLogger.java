package io.gpumem.platform.log;

import java.io.Serial;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

/**
 * An slf4j logger that writes to the sink of the moment. Markers are not written. The names of its
 * methods are slf4j's.
 */
final class LineLogger extends LegacyAbstractLogger implements LoggingEventAware {

  @Serial private static final long serialVersionUID = 1;

  private final String shortName;
  private final Level least;

  LineLogger(String name) {
    this.name = name;
    this.shortName = shortName(name);
    this.least = Quiet.least(name);
  }

  static String shortName(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  @Override
  public boolean isTraceEnabled() {
    return takes(Level.TRACE);
  }

  @Override
  public boolean isDebugEnabled() {
    return takes(Level.DEBUG);
  }

  @Override
  public boolean isInfoEnabled() {
    return takes(Level.INFO);
  }

  @Override
  public boolean isWarnEnabled() {
    return takes(Level.WARN);
  }

  @Override
  public boolean isErrorEnabled() {
    return takes(Level.ERROR);
  }

  @Override
  public void log(LoggingEvent event) {
    var fields = event.getKeyValuePairs();
    write(
        event.getLevel(),
        event.getMessage(),
        event.getArgumentArray(),
        fields == null ? List.of() : fields,
        event.getThrowable());
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      @Nullable String message,
      Object @Nullable [] arguments,
      @Nullable Throwable thrown) {
    write(level, message, arguments, List.of(), thrown);
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  private void write(
      Level level,
      @Nullable String message,
      Object @Nullable [] arguments,
      List<KeyValuePair> fields,
      @Nullable Throwable thrown) {
    var text = String.valueOf(MessageFormatter.basicArrayFormat(message, arguments));
    Logging.sink().write(level, shortName, text, fields, thrown);
  }

  private boolean takes(Level level) {
    return level.toInt() >= least.toInt() && Logging.sink().takes(level);
  }
}
