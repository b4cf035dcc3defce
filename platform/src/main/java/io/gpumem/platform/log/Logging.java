package io.gpumem.platform.log;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.time.InstantSource;
import org.slf4j.event.Level;

/**
 * The one place where logging is chosen, once, at start. Until then lines go to stderr as text from
 * level info on. What is logged through java.util.logging (gRPC, the JDK's HTTP server) goes the
 * same way after {@link #configure}.
 *
 * <p>Logging is written with slf4j's fluent calls, which cost nothing when the level is off:
 *
 * <pre>{@code
 * log.atInfo().addKeyValue(LogKeys.POD, pod).addKeyValue("units", 16).log("allocated");
 * }</pre>
 */
public final class Logging {

  private static volatile LogSink sink =
      new LogSink(LogFormat.TEXT, Level.INFO, stderr(), InstantSource.system());

  private Logging() {}

  /** Logs to stderr from now on, in the format, from the level on. */
  public static void configure(LogFormat format, Level level) {
    configure(format, level, stderr(), InstantSource.system());
  }

  /** As the other, for tests: the stream gets one write and one flush a line. */
  public static void configure(
      LogFormat format, Level level, OutputStream out, InstantSource clock) {
    sink = new LogSink(format, level, out, clock);
    JulBridge.install(level);
  }

  /** How many lines could not be written since the last {@link #configure}. */
  public static long lostLines() {
    return sink.lost();
  }

  static LogSink sink() {
    return sink;
  }

  /** Not System.err, which would encode, buffer and lock a second time. */
  private static OutputStream stderr() {
    return new FileOutputStream(FileDescriptor.err);
  }
}
