package io.gpumem.platform.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.Memory;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import tools.jackson.databind.json.JsonMapper;

class LineFormatTest {

  private static final Instant NOON = Instant.parse("2026-12-01T12:00:00.007Z");

  @Test
  void writesFieldsInOrderAsJson() {
    var line = line("allocated", null, pair("pod", "ns/a"), pair("units", 16), pair("ok", true));

    assertEquals(
        "{\"ts\":\"2026-12-01T12:00:00.007Z\",\"level\":\"info\",\"logger\":\"Allocator\","
            + "\"msg\":\"allocated\",\"pod\":\"ns/a\",\"units\":16,\"ok\":true}\n",
        LineFormat.format(LogFormat.JSON, line));
  }

  @Test
  void writesFieldsInOrderAsText() {
    var line =
        line(
            "allocated",
            null,
            pair("size", Memory.ofGib(16)),
            pair("why", "a \"b\""),
            pair("x", ""));

    assertEquals(
        "2026-12-01T12:00:00.007Z INFO  Allocator: allocated size=16Gi why=\"a \\\"b\\\"\" x=\"\"\n",
        LineFormat.format(LogFormat.TEXT, line));
  }

  @Test
  void keepsAStackTraceInsideOneJsonLine() {
    var error = new IllegalStateException("first\nsecond", new RuntimeException("cause"));

    var text = LineFormat.format(LogFormat.JSON, line("failed", error, pair("pod", "ns/a")));

    assertEquals(text.length() - 1, text.indexOf('\n'));
    var json = JsonMapper.shared().readTree(text);
    assertEquals(
        List.of("ts", "level", "logger", "msg", "pod", "error"), List.copyOf(json.propertyNames()));
    assertTrue(json.get("error").asString().startsWith("java.lang.IllegalStateException: first\n"));
    assertTrue(json.get("error").asString().contains("Caused by: java.lang.RuntimeException"));
  }

  @Test
  void indentsAStackTraceInText() {
    var text = LineFormat.format(LogFormat.TEXT, line("failed", new RuntimeException("a\nb")));

    var lines = text.lines().toList();
    assertTrue(lines.size() > 3);
    assertEquals("    java.lang.RuntimeException: a", lines.get(1));
    assertTrue(lines.stream().skip(1).allMatch(line -> line.startsWith("    ")));
  }

  @Test
  void letsNoTextStartALineOfItsOwn() {
    var evil = "x\n2026 ERROR\r\u2028\u0085\u001b[31m";

    for (var format : LogFormat.values()) {
      var text = LineFormat.format(format, line(evil, null, pair("pod", evil)));
      assertEquals(1, text.lines().count(), text);
      assertFalse(text.stripTrailing().chars().anyMatch(Character::isISOControl), text);
    }
  }

  @Test
  void writesJsonThatReadsBackAsWhatWasLogged() {
    var odd = "quote \" slash \\ tab \t del \u007f half \ud83d whole \ud83d\ude00 end";

    var json = JsonMapper.shared().readTree(LineFormat.format(LogFormat.JSON, line(odd, null)));

    assertEquals(odd, json.get("msg").asString());
  }

  @Test
  void renamesAFieldThatWouldHideAnother() {
    var text = LineFormat.format(LogFormat.JSON, line("a", null, pair("msg", "b")));

    assertTrue(text.endsWith("\"msg\":\"a\",\"msg_\":\"b\"}\n"), text);
  }

  @Test
  void writesOddValuesAsJson() {
    var text =
        LineFormat.format(
            LogFormat.JSON,
            line(
                "a",
                null,
                pair("none", null),
                pair("nan", Double.NaN),
                pair("half", 0.5),
                pair("maybe", Optional.of(1)),
                pair("broken", new Unprintable())));

    assertTrue(
        text.endsWith(
            "\"none\":null,\"nan\":\"NaN\",\"half\":0.5,\"maybe\":\"Optional[1]\","
                + "\"broken\":\"(unprintable: java.lang.IllegalStateException)\"}\n"),
        text);
  }

  @Test
  void cutsAnEndlessStackTrace() {
    var text =
        LineFormat.format(LogFormat.JSON, line("a", new RuntimeException("x".repeat(99_999))));

    assertTrue(text.length() < 16_384, "was " + text.length());
    assertTrue(text.contains("... cut from"));
  }

  private static KeyValuePair pair(String key, @Nullable Object value) {
    return new KeyValuePair(key, value);
  }

  private static LogLine line(String message, @Nullable Throwable error, KeyValuePair... fields) {
    return new LogLine(NOON, Level.INFO, "Allocator", message, List.of(fields), error);
  }

  private static final class Unprintable {
    @Override
    public String toString() {
      throw new IllegalStateException("not now");
    }
  }
}
