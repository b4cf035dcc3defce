package io.gpumem.platform.fuzz.fake;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Damages valid inputs as a cut, a slip of the hand, another version or malice would.
 *
 * <p><b>Goals.</b> Much of what it makes must get past the first check of a reader, or the checks
 * behind it are never tried. <b>Algorithm.</b> Of JSON it mostly changes whole values and keys, so
 * that the text stays JSON; less often it wounds the characters, and seldom the bytes. All chance
 * is the given one, so that one seed gives one series. Not thread-safe.
 */
public final class Mutator {

  private static final List<String> VALUES =
      List.of(
          "null",
          "true",
          "{}",
          "[]",
          "[null]",
          "\"\"",
          "\" \"",
          "0",
          "-1",
          "-0",
          "1.5",
          "1e2",
          "1e999",
          "-1e-999",
          "2147483648",
          "4294967297",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775808",
          "99999999999999999999999999999",
          "\"9223372036854775807\"",
          "\"-8\"",
          "\"8m\"",
          "\"1.5\"",
          "\"1e400000000\"",
          "\"0x10\"",
          "\"\\u0000\"",
          "\"\\ud800\"",
          "\"\u202e\u0130\u00df\"",
          "\"../../x?y=%00\"",
          "\"a::b\"",
          "\"NaN\"",
          "NaN");

  private static final List<String> SCRAPS =
      List.of(
          "{",
          "}",
          "[",
          "]",
          ":",
          ",",
          "\"",
          "\\",
          "\\u00",
          "\\ud800",
          "\u0000",
          "\n",
          "\ufeff",
          "-",
          "1e999",
          "::",
          "\u00e9",
          "\ud83d",
          "/*",
          "'",
          "\"v\":2,",
          "%",
          "\u0661");

  private static final int DEEP = 3_000;
  private static final int LONG = 3_000;

  private final Random chance;

  public Mutator(Random chance) {
    this.chance = chance;
  }

  private boolean oneIn(int times) {
    return chance.nextInt(times) == 0;
  }

  private <T> T oneOf(List<T> items) {
    return items.get(chance.nextInt(items.size()));
  }

  /** A JSON text with one to three changes, most of which leave it JSON. */
  public String json(String text) {
    String changed = text;
    int changes = oneIn(3) ? 1 + chance.nextInt(3) : 1;
    for (int i = 0; i < changes; i++) {
      List<Piece> pieces = oneIn(8) ? List.of() : Piece.of(changed);
      changed = pieces.isEmpty() ? text(changed) : changed(changed, pieces);
    }
    return changed;
  }

  /** A JSON text of the same form that says something else: other numbers, names put about. */
  public String meaning(String text) {
    String changed = text;
    int changes = 1 + chance.nextInt(3);
    for (int i = 0; i < changes; i++) {
      List<Piece> pieces = Piece.of(changed);
      Piece piece = oneOf(pieces);
      Piece other = oneOf(pieces);
      boolean bothTexts = piece.isText(changed) && other.isText(changed);
      if (piece.isNumber(changed)) {
        changed = with(changed, piece, Long.toString(number()));
      } else if (bothTexts) {
        changed = with(changed, piece, other.valueIn(changed));
      } else if (piece.hasKey() && other.hasKey()) {
        String renamed = other.keyIn(changed) + ":" + piece.valueIn(changed);
        changed = replaced(changed, piece, renamed);
      }
    }
    return changed;
  }

  private static String with(String text, Piece piece, String value) {
    return text.substring(0, piece.value()) + value + text.substring(piece.to());
  }

  private String changed(String text, List<Piece> pieces) {
    Piece piece = oneOf(pieces);
    Piece other = oneOf(pieces);
    return switch (chance.nextInt(9)) {
      case 0 -> replaced(text, piece, piece.hasKey() ? otherKey(text, piece, other) : "");
      case 1 -> replaced(text, piece, piece.in(text) + "," + piece.in(text));
      case 2 -> replaced(text, piece, twice(text, piece, other));
      case 3 ->
          text.substring(0, piece.value()) + wrapped(text, piece) + text.substring(piece.to());
      case 4 -> without(text, piece);
      case 5, 6 -> with(text, piece, other.valueIn(text));
      default -> with(text, piece, value(text, piece));
    };
  }

  private static String replaced(String text, Piece piece, String by) {
    return text.substring(0, piece.from()) + by + text.substring(piece.to());
  }

  private static String twice(String text, Piece piece, Piece other) {
    return piece.in(text)
        + ","
        + (piece.hasKey() ? piece.keyIn(text) + ":" : "")
        + other.valueIn(text);
  }

  /** Takes a value out, with the comma that is then too many. */
  private static String without(String text, Piece piece) {
    int to = piece.to();
    boolean more = to < text.length() && text.charAt(to) == ',';
    return text.substring(0, piece.from()) + text.substring(more ? to + 1 : to);
  }

  private String otherKey(String text, Piece piece, Piece other) {
    String key = piece.keyIn(text);
    String renamed =
        switch (chance.nextInt(6)) {
          case 0 -> key.toUpperCase(Locale.ROOT);
          case 1 -> key.toLowerCase(Locale.ROOT);
          case 2 -> key.substring(0, key.length() - 1) + "x\"";
          case 3, 4 -> other.hasKey() ? other.keyIn(text) : key;
          default -> "\"" + text(key.substring(1, key.length() - 1)).replace("\"", "") + "\"";
        };
    return renamed + ":" + piece.valueIn(text);
  }

  private String wrapped(String text, Piece piece) {
    String value = piece.valueIn(text);
    int deep = oneIn(20) ? DEEP : 1;
    return oneIn(2)
        ? "[".repeat(deep) + value + "]".repeat(deep)
        : "{\"a\":".repeat(deep) + value + "}".repeat(deep);
  }

  private String value(String text, Piece piece) {
    String value = piece.valueIn(text);
    boolean isText = value.startsWith("\"") && value.length() > 1;
    if (isText && oneIn(3)) {
      String inside = value.substring(1, value.length() - 1);
      return "\"" + text(inside).replace("\"", "").replace("\\", "") + "\"";
    }
    if (oneIn(isText ? 5 : 2)) {
      String number = Long.toString(number());
      return isText ? "\"" + number + "\"" : number;
    }
    return oneIn(25) ? "\"" + "x".repeat(LONG) + "\"" : oneOf(VALUES);
  }

  /** A whole number: mostly small, now and then at an edge of its kind. */
  public long number() {
    return switch (chance.nextInt(8)) {
      case 0 -> Long.MAX_VALUE - chance.nextInt(2);
      case 1 -> Long.MIN_VALUE;
      case 2 -> (1L << chance.nextInt(63)) + chance.nextInt(3) - 1;
      case 3 -> -1 - chance.nextInt(3);
      default -> chance.nextInt(20);
    };
  }

  /** A text with one wound among its characters. */
  public String text(String text) {
    int from = chance.nextInt(text.length() + 1);
    int to = Math.min(text.length(), from + 1 + chance.nextInt(oneIn(5) ? 200 : 4));
    String before = text.substring(0, from);
    String cut = text.substring(from, to);
    String after = text.substring(to);
    return switch (chance.nextInt(8)) {
      case 0 -> before + after;
      case 1 -> before + oneOf(SCRAPS) + after;
      case 2 -> before + oneOf(SCRAPS) + cut + after;
      case 3 -> before + cut + cut + after;
      case 4 -> oneIn(4) ? before : before + (char) chance.nextInt(0x180) + after;
      case 5 -> before + new StringBuilder(cut).reverse() + after;
      case 6 -> before + cut.toUpperCase(Locale.ROOT) + after;
      default -> oneIn(8) ? after + before + cut : before + (chance.nextInt(20)) + after;
    };
  }

  /** A text as bytes; one in twelve is wounded there, where no text shows it. */
  public byte[] encoded(String text) {
    if (!oneIn(12)) {
      return text.getBytes(UTF_8);
    }
    return oneIn(6) ? text.getBytes(UTF_16) : bytes(text.getBytes(UTF_8));
  }

  /** Bytes with one to three wounds: flips, cuts, doubled and foreign pieces. */
  public byte[] bytes(byte[] bytes) {
    byte[] wounded = bytes;
    int wounds = 1 + chance.nextInt(3);
    for (int i = 0; i < wounds; i++) {
      wounded = wounded(wounded);
    }
    return wounded;
  }

  private byte[] wounded(byte[] bytes) {
    int from = chance.nextInt(bytes.length + 1);
    int to = Math.min(bytes.length, from + 1 + chance.nextInt(8));
    byte[] cut = Arrays.copyOfRange(bytes, from, to);
    var out = new ByteArrayOutputStream(bytes.length + cut.length);
    out.write(bytes, 0, from);
    switch (chance.nextInt(6)) {
      case 0 -> out.write(bytes, to, bytes.length - to);
      case 1 -> {
        out.writeBytes(cut);
        out.write(bytes, from, bytes.length - from);
      }
      case 2 -> {
        out.write(chance.nextInt(256));
        out.write(bytes, from, bytes.length - from);
      }
      case 3 -> {
        int end = oneIn(3) ? bytes.length : to;
        out.write(bytes, end, bytes.length - end);
      }
      default -> {
        for (byte each : cut) {
          out.write(each ^ (1 << chance.nextInt(8)));
        }
        out.write(bytes, to, bytes.length - to);
      }
    }
    return out.toByteArray();
  }
}
