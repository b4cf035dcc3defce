package io.gpumem.core.house;

import io.gpumem.core.house.JavaTree.Kind;
import java.util.List;

/** How long things may be. Tests count too: a test that can't be read proves nothing. */
final class SizeRules {

  private static final int FILE_LINES_MAX = 400;
  private static final int METHOD_LINES_MAX = 50;

  private SizeRules() {}

  static List<Violation> shortFiles(Repository house) {
    return house
        .java()
        .filter(file -> file.lines().size() > FILE_LINES_MAX)
        .map(
            file ->
                new Violation(
                    file.path(),
                    FILE_LINES_MAX + 1,
                    "the file has " + file.lines().size() + " lines",
                    "split it by noun; at most " + FILE_LINES_MAX))
        .toList();
  }

  /**
   * From the first modifier or annotation to the closing brace; lambdas count with their method.
   */
  static List<Violation> shortMethods(Repository house) {
    return house.java().flatMap(file -> longMethods(house, file).stream()).toList();
  }

  private static List<Violation> longMethods(Repository house, SourceFile file) {
    return house.declarations(file).stream()
        .filter(it -> it.kind() == Kind.METHOD && it.lines() > METHOD_LINES_MAX)
        .map(
            it ->
                new Violation(
                    file.path(),
                    it.firstLine(),
                    "the method " + it.name() + " has " + it.lines() + " lines",
                    "move straight pieces out; at most " + METHOD_LINES_MAX))
        .toList();
  }
}
