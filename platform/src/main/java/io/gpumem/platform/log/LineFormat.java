package io.gpumem.platform.log;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/** Turns an event into the text of its line, the line's end included. Pure. */
final class LineFormat {

  /** A stack trace is cut here: container runtimes split lines at 16 KiB, and JSON must survive. */
  private static final int LONGEST_STACK = 12_000;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final Set<String> OUR_FIELDS = Set.of("ts", "level", "logger", "msg", "error");

  private LineFormat() {}

  static String format(LogFormat format, LogLine line) {
    var out = new StringBuilder(200);
    switch (format) {
      case JSON -> json(line, out);
      case TEXT -> text(line, out);
    }
    return out.append('\n').toString();
  }

  private static void json(LogLine line, StringBuilder out) {
    out.append("{\"ts\":\"").append(TIME.format(line.time()));
    out.append("\",\"level\":\"").append(line.level().name().toLowerCase(Locale.ROOT));
    out.append("\",\"logger\":");
    JsonText.quote(line.logger(), out);
    out.append(",\"msg\":");
    JsonText.quote(line.message(), out);
    for (var field : line.fields()) {
      out.append(',');
      JsonText.quote(key(field), out);
      out.append(':');
      if (isPlainInJson(field.value)) {
        out.append(field.value);
      } else {
        JsonText.quote(textOf(field.value), out);
      }
    }
    if (line.error() != null) {
      out.append(",\"error\":");
      JsonText.quote(stack(line.error()), out);
    }
    out.append('}');
  }

  private static void text(LogLine line, StringBuilder out) {
    out.append(TIME.format(line.time())).append(' ').append(line.level().name());
    out.append(" ".repeat(6 - line.level().name().length()));
    out.append(line.logger()).append(": ");
    JsonText.escape(line.message(), out);
    for (var field : line.fields()) {
      out.append(' ').append(key(field)).append('=');
      var value = textOf(field.value);
      if (isPlainInText(value)) {
        out.append(value);
      } else {
        JsonText.quote(value, out);
      }
    }
    if (line.error() != null) {
      stack(line.error())
          .lines()
          .forEach(frame -> out.append("\n    ").append(frame.replace("\t", "  ")));
    }
  }

  /** A JSON object must not have two fields of one name. */
  private static String key(KeyValuePair field) {
    return OUR_FIELDS.contains(field.key) ? field.key + "_" : field.key;
  }

  private static boolean isPlainInJson(@Nullable Object value) {
    return value == null
        || value instanceof Boolean
        || value instanceof Integer
        || value instanceof Long
        || (value instanceof Double number && Double.isFinite(number));
  }

  private static boolean isPlainInText(String value) {
    return !value.isEmpty()
        && value.chars().allMatch(c -> c > ' ' && c < 127 && c != '"' && c != '=' && c != '\\');
  }

  /** A value that can't be printed must not cost the line, nor fail the code that logs. */
  private static String textOf(@Nullable Object value) {
    try {
      return String.valueOf(value);
    } catch (RuntimeException e) {
      return "(unprintable: " + e.getClass().getName() + ")";
    }
  }

  private static String stack(Throwable error) {
    var text = new StringWriter();
    try (var writer = new PrintWriter(text)) {
      error.printStackTrace(writer);
    } catch (RuntimeException e) {
      return error.getClass().getName() + " (unprintable: " + e.getClass().getName() + ")";
    }
    var all = text.toString().stripTrailing();
    return all.length() <= LONGEST_STACK
        ? all
        : all.substring(0, LONGEST_STACK) + " ... cut from " + all.length() + " characters";
  }
}
