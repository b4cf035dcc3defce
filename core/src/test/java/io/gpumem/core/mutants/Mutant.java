package io.gpumem.core.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One kept patch.
 *
 * @param must which must it breaks, and how
 * @param testClass the class of the test that kills it
 * @param testMethod its method
 */
record Mutant(String name, String must, String testClass, String testMethod, Patch patch) {

  private static final String BREAKS = "Breaks: ";
  private static final String KILLED_BY = "Killed by: ";

  /** The form is a line {@code Breaks: }, a line {@code Killed by: class#method}, and a diff. */
  static Mutant parse(String name, String text) {
    List<String> lines = text.lines().toList();
    String[] killer = field(lines, KILLED_BY).split("#", -1);
    if (killer.length != 2) {
      throw new IllegalArgumentException("expected " + KILLED_BY + "<class>#<method>");
    }
    int diff = 0;
    while (diff < lines.size() && !lines.get(diff).startsWith("--- a/")) {
      diff++;
    }
    Patch patch = Patch.parse(lines.subList(diff, lines.size()));
    return new Mutant(name, field(lines, BREAKS), killer[0], killer[1], patch);
  }

  private static String field(List<String> lines, String key) {
    Optional<String> line = lines.stream().filter(each -> each.startsWith(key)).findFirst();
    return line.map(each -> each.substring(key.length()).strip())
        .filter(value -> !value.isEmpty())
        .orElseThrow(() -> new IllegalArgumentException("expected a line \"" + key + "...\""));
  }

  /** All kept patches, by name. */
  static List<Mutant> allIn(Path root) {
    try (Stream<Path> files = Files.list(root.resolve("mutants"))) {
      return files
          .filter(file -> file.toString().endsWith(".patch"))
          .sorted()
          .map(Mutant::read)
          .toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static Mutant read(Path file) {
    String name = file.getFileName().toString().replace(".patch", "");
    try {
      return parse(name, Files.readString(file));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(name + ": " + wrong.getMessage(), wrong);
    }
  }

  String killer() {
    return testClass + "#" + testMethod;
  }

  /** The module that the killer is in, which is where it runs. */
  String testModule() {
    return testClass.split("\\.", -1)[2];
  }

  /** Where the killer's source is, from the root. */
  String testSource() {
    return testModule() + "/src/test/java/" + testClass.replace('.', '/') + ".java";
  }
}
