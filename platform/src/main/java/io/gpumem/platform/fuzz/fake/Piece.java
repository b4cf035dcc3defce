package io.gpumem.platform.fuzz.fake;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * One value of a JSON text, and its key if it has one, by their places in the text. The text need
 * not be valid: what was damaged is damaged again.
 *
 * @param from where the key begins, or the value if it has none
 * @param keyTo behind the key; equals {@code from} if there is none
 * @param value where the value begins
 * @param to behind the value
 */
record Piece(int from, int keyTo, int value, int to) {

  boolean hasKey() {
    return keyTo > from;
  }

  boolean isText(String text) {
    return text.charAt(value) == '"';
  }

  boolean isNumber(String text) {
    return text.charAt(value) >= '0' && text.charAt(value) <= '9';
  }

  String in(String text) {
    return text.substring(from, to);
  }

  String keyIn(String text) {
    return text.substring(from, keyTo);
  }

  String valueIn(String text) {
    return text.substring(value, to);
  }

  /** All values of a text, inner ones before those around them. */
  static List<Piece> of(String text) {
    return new Search(text).pieces();
  }

  /** One walk over a text; its state is the place, the key just read and the open brackets. */
  private static final class Search {

    private static final int NONE = -1;

    private final String text;
    private final List<Piece> pieces = new ArrayList<>();
    private final Deque<int[]> open = new ArrayDeque<>();
    private int at;
    private int keyFrom = NONE;
    private int keyTo = NONE;

    Search(String text) {
      this.text = text;
    }

    List<Piece> pieces() {
      while (at < text.length()) {
        switch (text.charAt(at)) {
          case '"' -> string();
          case '{', '[' -> {
            open.push(new int[] {keyFrom, keyTo, at});
            keyFrom = NONE;
            at++;
          }
          case '}', ']' -> close();
          case ',', ':', ' ', '\t', '\r', '\n' -> at++;
          default -> word();
        }
      }
      return pieces;
    }

    private void string() {
      int end = at + 1;
      while (end < text.length() && text.charAt(end) != '"') {
        end += text.charAt(end) == '\\' ? 2 : 1;
      }
      end = Math.min(text.length(), end + 1);
      if (end < text.length() && text.charAt(end) == ':') {
        keyFrom = at;
        keyTo = end;
        at = end + 1;
      } else {
        add(keyFrom, keyTo, at, end);
      }
    }

    private void word() {
      int end = at + 1;
      while (end < text.length() && ",:{}[]\" \t\r\n".indexOf(text.charAt(end)) < 0) {
        end++;
      }
      add(keyFrom, keyTo, at, end);
    }

    private void close() {
      at++;
      if (!open.isEmpty()) {
        int[] began = open.pop();
        add(began[0], began[1], began[2], at);
      }
    }

    private void add(int key, int behindKey, int value, int end) {
      pieces.add(
          key == NONE
              ? new Piece(value, value, value, end)
              : new Piece(key, behindKey, value, end));
      keyFrom = NONE;
      at = end;
    }
  }
}
