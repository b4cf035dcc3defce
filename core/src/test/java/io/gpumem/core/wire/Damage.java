package io.gpumem.core.wire;

import java.util.List;
import java.util.Random;

/** Damages a text as a cut, a slip of the hand or malice would. */
final class Damage {

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
          " ",
          "\ufeff",
          "null",
          "true",
          "-",
          "0",
          "1e999",
          "1.5",
          "-1",
          "9223372036854775807",
          "9223372036854775808",
          "4294967297",
          "\"v\":2,",
          "\"v\":1,",
          "{}",
          "[]",
          "::",
          "é",
          "\ud83d",
          "[".repeat(40),
          "{\"a\":".repeat(40),
          "7".repeat(400),
          "x".repeat(3000));

  private Damage() {}

  /** The text with one to three wounds. */
  static String to(String text, Random random) {
    String damaged = text;
    int wounds = 1 + random.nextInt(3);
    for (int i = 0; i < wounds; i++) {
      damaged = wound(damaged, random);
    }
    return damaged;
  }

  private static String wound(String text, Random random) {
    int from = random.nextInt(text.length() + 1);
    int to = Math.min(text.length(), from + 1 + random.nextInt(random.nextInt(5) == 0 ? 200 : 4));
    String before = text.substring(0, from);
    String cut = text.substring(from, to);
    String after = text.substring(to);
    String scrap = SCRAPS.get(random.nextInt(SCRAPS.size()));
    return switch (random.nextInt(9)) {
      case 0 -> before + after;
      case 1 -> before + scrap + after;
      case 2 -> before + scrap + cut + after;
      case 3 -> before + cut + cut + after;
      case 4 -> random.nextInt(8) == 0 ? before : before + (char) random.nextInt(256) + after;
      case 5 -> before + new StringBuilder(cut).reverse() + after;
      case 6 -> otherNumber(text, scrap, random);
      case 7 -> renamed(text, random);
      default -> random.nextInt(8) == 0 ? after + before : before + cut.toUpperCase() + after;
    };
  }

  /** One number in the text becomes something else: the damage that looks like a good text. */
  private static String otherNumber(String text, String scrap, Random random) {
    String digits = "(?<=[:,])[0-9]+";
    String[] parts = text.split(digits, -1);
    if (parts.length < 2) {
      return text;
    }
    int at = 1 + random.nextInt(parts.length - 1);
    int number = random.nextInt(300) - 20;
    String other = random.nextInt(4) == 0 ? scrap : Integer.toString(number);
    StringBuilder damaged = new StringBuilder(parts[0]);
    for (int i = 1; i < parts.length; i++) {
      damaged.append(i == at ? other : "3").append(parts[i]);
    }
    return damaged.toString();
  }

  /** One letter everywhere becomes another: a key or a name that nobody knows. */
  private static String renamed(String text, Random random) {
    char one = (char) ('a' + random.nextInt(26));
    char other = (char) ('a' + random.nextInt(26));
    return text.replace("\"" + one, "\"" + other);
  }
}
