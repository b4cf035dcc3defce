package io.gpumem.platform.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;

/**
 * Where lines go. Each is written by one call on the stream, under a lock, so that the lines of
 * threads can't mix. Safe from any thread.
 */
final class LogSink {

  private final LogFormat format;
  private final Level level;
  private final OutputStream out;
  private final InstantSource clock;
  private final AtomicLong lost = new AtomicLong();

  LogSink(LogFormat format, Level level, OutputStream out, InstantSource clock) {
    this.format = format;
    this.level = level;
    this.out = out;
    this.clock = clock;
  }

  boolean takes(Level wanted) {
    return wanted.toInt() >= level.toInt();
  }

  Level level() {
    return level;
  }

  void write(
      Level level,
      String logger,
      String message,
      List<KeyValuePair> fields,
      @Nullable Throwable error) {
    var line = new LogLine(clock.instant(), level, logger, message, fields, error);
    var bytes = LineFormat.format(format, line).getBytes(UTF_8);
    synchronized (out) {
      try {
        out.write(bytes);
        out.flush();
      } catch (IOException closed) {
        // The log itself is gone, so all that is left is to count.
        lost.incrementAndGet();
      }
    }
  }

  long lost() {
    return lost.get();
  }
}
