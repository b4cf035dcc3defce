package io.gpumem.extender.http;

import java.util.Locale;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Walks over streamed JSON as Go reads it: keys in any case, unknown ones skipped, {@code null} and
 * values of another kind as if they were absent.
 */
final class JsonFields {

  /** Takes one field; the parser is at its value, and a value that is not taken is skipped. */
  @FunctionalInterface
  interface Field {
    void take(String lowerCaseKey, JsonParser value);
  }

  /** Takes one item; the parser is at it, and an item that is not taken is skipped. */
  @FunctionalInterface
  interface Item {
    void take(JsonParser item);
  }

  private static final int NO_CHARACTER = 0xFFFD;

  private JsonFields() {}

  /** The fields of the object at which the parser is; nothing when it is at something else. */
  static void object(JsonParser parser, Field field) {
    exact(parser, (key, value) -> field.take(key.toLowerCase(Locale.ROOT), value));
  }

  /** As {@link #object}, with the keys as they are written. */
  static void exact(JsonParser parser, Field field) {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      parser.skipChildren();
      return;
    }
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String key = parser.currentName();
      JsonToken token = parser.nextToken();
      field.take(key, parser);
      skipUntaken(parser, token);
    }
  }

  /** The items of the array at which the parser is; nothing when it is at something else. */
  static void array(JsonParser parser, Item item) {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      parser.skipChildren();
      return;
    }
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      item.take(parser);
      skipUntaken(parser, token);
    }
  }

  /**
   * A value that was taken has been read to its end, so that the parser is no more at its start.
   */
  private static void skipUntaken(JsonParser parser, JsonToken began) {
    if (began.isStructStart() && parser.currentToken() == began) {
      parser.skipChildren();
    }
  }

  /** A string or number as text; empty for anything else. */
  static String text(JsonParser parser) {
    JsonToken token = parser.currentToken();
    boolean scalar = token == JsonToken.VALUE_STRING || token.isNumeric();
    return scalar ? whole(parser.getString()) : "";
  }

  /**
   * A half of a surrogate pair is no character: Go reads U+FFFD for it, and an answer that repeated
   * it would be no JSON to a strict reader.
   */
  private static String whole(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        StringBuilder whole = new StringBuilder(text.length());
        text.codePoints().map(JsonFields::character).forEach(whole::appendCodePoint);
        return whole.toString();
      }
    }
    return text;
  }

  private static int character(int codePoint) {
    boolean half = Character.getType(codePoint) == Character.SURROGATE;
    return half ? NO_CHARACTER : codePoint;
  }
}
