package io.gpumem.platform.log;

/** Text inside JSON, without a library: the log must work before and without one. */
public final class JsonText {

  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private JsonText() {}

  /** The text as a JSON string, quotes included. */
  public static String quote(String text) {
    var out = new StringBuilder(text.length() + 2);
    quote(text, out);
    return out.toString();
  }

  static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else {
        append(text, at, out);
      }
    }
    out.append('"');
  }

  /** The text on one line: what would move a terminal's cursor is escaped, quotes are left. */
  static void escape(String text, StringBuilder out) {
    for (int at = 0; at < text.length(); at++) {
      append(text, at, out);
    }
  }

  private static void append(String text, int at, StringBuilder out) {
    char c = text.charAt(at);
    switch (c) {
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        if (isControl(c) || isLoneSurrogate(text, at)) {
          out.append("\\u").append(HEX[c >> 12]).append(HEX[c >> 8 & 15]);
          out.append(HEX[c >> 4 & 15]).append(HEX[c & 15]);
        } else {
          out.append(c);
        }
      }
    }
  }

  /** Line and paragraph separators count: some readers end a line there. */
  private static boolean isControl(char c) {
    return Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
  }

  /** Half a character has no UTF-8 form; written as is, it would become a question mark. */
  private static boolean isLoneSurrogate(String text, int at) {
    char c = text.charAt(at);
    if (Character.isHighSurrogate(c)) {
      return at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1));
    }
    return Character.isLowSurrogate(c)
        && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
  }
}
