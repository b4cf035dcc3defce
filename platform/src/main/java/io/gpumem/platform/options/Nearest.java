package io.gpumem.platform.options;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that somebody probably meant. Pure. */
final class Nearest {

  private Nearest() {}

  /** The known name with the fewest edits, when that is at most a third of the name's length. */
  static Optional<String> of(String wrong, Collection<String> known) {
    return known.stream()
        .filter(name -> edits(wrong, name) <= Math.max(2, name.length() / 3))
        .min(Comparator.comparingInt((String name) -> edits(wrong, name)).thenComparing(n -> n));
  }

  /** How many insertions, deletions and replacements of a character lead from one to the other. */
  static int edits(String from, String to) {
    var previous = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      var row = new int[to.length() + 1];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = previous[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(previous[j], row[j - 1]) + 1);
      }
      previous = row;
    }
    return previous[to.length()];
  }
}
