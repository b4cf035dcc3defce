package io.gpumem.core.mutants;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A unified diff of one file. Line numbers are not read: each hunk goes where its old lines are,
 * and they must be in one place, so that a patch bears changes around it but never lands elsewhere.
 *
 * @param path from the repository's root
 */
record Patch(String path, List<Hunk> hunks) {

  /** The lines before and after, the unchanged ones around them in both. */
  record Hunk(List<String> before, List<String> after) {}

  Patch {
    hunks = List.copyOf(hunks);
  }

  /** Reads a diff, from its first line {@code --- a/...} on. */
  static Patch parse(List<String> lines) {
    if (lines.size() < 3 || !lines.get(0).startsWith("--- a/")) {
      throw new IllegalArgumentException("expected --- a/<path> and +++ b/<path>");
    }
    String path = lines.get(0).substring("--- a/".length());
    if (!lines.get(1).equals("+++ b/" + path)) {
      throw new IllegalArgumentException("expected +++ b/" + path + " but was " + lines.get(1));
    }
    List<Hunk> hunks = new ArrayList<>();
    int at = 2;
    while (at < lines.size()) {
      if (!lines.get(at).startsWith("@@")) {
        throw new IllegalArgumentException("expected @@ but was " + lines.get(at));
      }
      int end = at + 1;
      while (end < lines.size() && !lines.get(end).startsWith("@@")) {
        end++;
      }
      hunks.add(hunk(lines.subList(at + 1, end)));
      at = end;
    }
    return new Patch(path, hunks);
  }

  private static Hunk hunk(List<String> lines) {
    List<String> before = new ArrayList<>();
    List<String> after = new ArrayList<>();
    for (String line : lines) {
      String text = line.isEmpty() ? "" : line.substring(1);
      switch (line.isEmpty() ? ' ' : line.charAt(0)) {
        case ' ' -> {
          before.add(text);
          after.add(text);
        }
        case '-' -> before.add(text);
        case '+' -> after.add(text);
        default -> throw new IllegalArgumentException("expected ' ', - or + but was " + line);
      }
    }
    if (before.isEmpty() || before.equals(after)) {
      throw new IllegalArgumentException("expected a hunk with old lines and a change");
    }
    return new Hunk(before, after);
  }

  /** The text with all hunks in it; the message says which does not apply. */
  String apply(String text) {
    String changed = text;
    for (Hunk hunk : hunks) {
      String before = joined(hunk.before());
      String all = "\n" + changed;
      int at = all.indexOf("\n" + before);
      if (at < 0 || all.indexOf("\n" + before, at + 1) >= 0) {
        String where = at < 0 ? "nowhere" : "in two places";
        throw new IllegalArgumentException(
            "expected these lines once in " + path + " but they are " + where + ":\n" + before);
      }
      changed =
          changed.substring(0, at) + joined(hunk.after()) + changed.substring(at + before.length());
    }
    return changed;
  }

  private static String joined(List<String> lines) {
    return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
  }
}
