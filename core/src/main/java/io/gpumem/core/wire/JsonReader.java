package io.gpumem.core.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads one JSON text, by recursive descent with a limit on depth and size. */
final class JsonReader {

  /** Our texts are 5 deep; a forged one must not exhaust the stack. */
  private static final int DEEPEST = 32;

  /** All annotations of an object together are at most 256 KiB (apimachinery objectmeta.go). */
  private static final int LONGEST = 1 << 20;

  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

  private final String text;
  private int at;

  JsonReader(String text) {
    this.text = text;
  }

  Json document() throws Json.Malformed {
    if (text.length() > LONGEST) {
      throw new Json.Malformed("longer than " + LONGEST + " characters");
    }
    Json value = value(0);
    skipBlanks();
    if (at < text.length()) {
      throw wrong("expected the end");
    }
    return value;
  }

  private Json value(int depth) throws Json.Malformed {
    if (depth > DEEPEST) {
      throw wrong("deeper than " + DEEPEST + " levels");
    }
    skipBlanks();
    return switch (peek()) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> new Json.Text(string());
      case 't' -> word("true", new Json.Bool(true));
      case 'f' -> word("false", new Json.Bool(false));
      case 'n' -> word("null", new Json.Null());
      default -> number();
    };
  }

  private Json object(int depth) throws Json.Malformed {
    Map<String, Json> fields = new LinkedHashMap<>();
    at++;
    skipBlanks();
    if (peek() == '}') {
      at++;
      return new Json.Obj(fields);
    }
    while (true) {
      skipBlanks();
      if (peek() != '"') {
        throw wrong("expected a key");
      }
      String key = string();
      skipBlanks();
      expect(':');
      if (fields.put(key, value(depth + 1)) != null) {
        throw wrong("key \"" + key + "\" twice");
      }
      if (endsAfterItem('}')) {
        return new Json.Obj(fields);
      }
    }
  }

  private Json array(int depth) throws Json.Malformed {
    List<Json> items = new ArrayList<>();
    at++;
    skipBlanks();
    if (peek() == ']') {
      at++;
      return new Json.Arr(items);
    }
    while (true) {
      items.add(value(depth + 1));
      if (endsAfterItem(']')) {
        return new Json.Arr(items);
      }
    }
  }

  private boolean endsAfterItem(char end) throws Json.Malformed {
    skipBlanks();
    char next = peek();
    if (next != end && next != ',') {
      throw wrong("expected ',' or '" + end + "'");
    }
    at++;
    return next == end;
  }

  private String string() throws Json.Malformed {
    StringBuilder value = new StringBuilder();
    at++;
    while (true) {
      char c = peek();
      at++;
      switch (c) {
        case '"' -> {
          return value.toString();
        }
        case '\\' -> value.append(escaped());
        default -> {
          if (c < ' ') {
            throw wrong("control character in a string");
          }
          value.append(c);
        }
      }
    }
  }

  private char escaped() throws Json.Malformed {
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> throw wrong("unknown escape \\" + c);
    };
  }

  private char unicode() throws Json.Malformed {
    int code = 0;
    for (int i = 0; i < 4; i++) {
      // Character.digit alone also takes the digits of other scripts.
      int digit = peek() < 128 ? Character.digit(peek(), 16) : -1;
      if (digit < 0) {
        throw wrong("expected four hex digits");
      }
      code = code * 16 + digit;
      at++;
    }
    return (char) code;
  }

  private Json word(String word, Json value) throws Json.Malformed {
    if (!text.startsWith(word, at)) {
      throw wrong("expected a value");
    }
    at += word.length();
    return value;
  }

  private Json number() throws Json.Malformed {
    Matcher number = NUMBER.matcher(text).region(at, text.length());
    if (!number.lookingAt()) {
      throw wrong("expected a value");
    }
    at = number.end();
    return new Json.Num(number.group());
  }

  private void expect(char c) throws Json.Malformed {
    if (peek() != c) {
      throw wrong("expected '" + c + "'");
    }
    at++;
  }

  private char peek() throws Json.Malformed {
    if (at >= text.length()) {
      throw wrong("unexpected end");
    }
    return text.charAt(at);
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private Json.Malformed wrong(String what) {
    return new Json.Malformed(what + " at character " + at);
  }
}
