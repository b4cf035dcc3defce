package io.gpumem.core.house;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;

/**
 * What the root's {@code .gitignore} leaves out, so that build outputs and an editor's files are
 * not judged. It understands names and globs, and paths from the root; not exceptions ({@code !}).
 */
record Ignored(List<PathMatcher> matchers) {

  static Ignored from(List<String> lines) {
    return new Ignored(
        lines.stream()
            .map(String::strip)
            .filter(line -> !line.isEmpty() && !line.startsWith("#"))
            .map(Ignored::matcher)
            .toList());
  }

  private static PathMatcher matcher(String line) {
    if (line.startsWith("!")) {
      throw new IllegalArgumentException("expected no exception in .gitignore but was " + line);
    }
    var pattern = line.endsWith("/") ? line.substring(0, line.length() - 1) : line;
    boolean fromRoot = pattern.contains("/");
    var glob = "glob:" + (pattern.startsWith("/") ? pattern.substring(1) : pattern);
    var matcher = FileSystems.getDefault().getPathMatcher(glob);
    return path -> matcher.matches(fromRoot ? path : path.getFileName());
  }

  /** Whether the file or folder at this path, relative to the root, is left out. */
  boolean contains(Path path) {
    return matchers.stream().anyMatch(matcher -> matcher.matches(path));
  }
}
