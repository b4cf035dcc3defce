package io.gpumem.core.house;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What keeps core pure. The module descriptor fences off everything outside {@code java.base}; this
 * fences off what {@code java.base} itself has of input, output, clocks, chance and threads.
 */
final class CoreFence {

  private record Ban(Pattern names, String remedy) {

    Ban(String names, String remedy) {
      this(Pattern.compile(names), remedy);
    }
  }

  private static final List<Ban> BANS =
      List.of(
          new Ban(
              "\\bjava\\.(io|net|nio\\.file|nio\\.channels|util\\.logging)\\b",
              "core does no input or output; take the value as an argument"),
          new Ban(
              "\\bjava\\.util\\.concurrent\\b|\\bjava\\.util\\.Timer\\w*|\\bThread\\w*",
              "core has no threads; return a value and let the edge run it"),
          new Ban(
              "\\b(System|Runtime|ProcessHandle)\\s*(\\.|::)\\s*(\\w+|\\*)|\\bProcessBuilder\\b",
              "core does not look at the process; take the value as an argument"),
          new Ban(
              "\\b(Instant|Year|YearMonth|(Local|Zoned|Offset)\\w*)\\s*(\\.|::)\\s*now\\b"
                  + "|\\bClock\\s*(\\.|::)\\s*\\w+",
              "core has no clock; take the instant as an argument"),
          new Ban(
              "\\bMath\\s*(\\.|::)\\s*random\\b|\\b(Splittable)?Random\\s*(\\(\\s*\\)|::\\s*new)"
                  + "|\\bSecureRandom\\b|\\brandomUUID\\b|\\bRandomGenerator\\s*\\.\\s*\\w+",
              "core has no chance; take a seeded generator as an argument"));

  private static final Pattern REQUIRES = Pattern.compile("\\brequires\\s+[^;]+;");
  private static final String DESCRIPTOR = "core/src/main/java/module-info.java";

  private CoreFence() {}

  static List<Violation> pure(Repository house) {
    var found = new ArrayList<Violation>();
    for (var file : house.mainJava().filter(file -> file.module().equals("core")).toList()) {
      var code = file.code();
      for (var ban : BANS) {
        found.addAll(file.matches(ban.names(), code, "core names %s", ban.remedy()));
      }
    }
    return found;
  }

  static List<Violation> requiresNothing(Repository house) {
    var descriptor = house.mainJava().filter(file -> file.path().equals(DESCRIPTOR)).findFirst();
    if (descriptor.isEmpty()) {
      return List.of(new Violation(DESCRIPTOR, 1, "core has no module descriptor", "write it"));
    }
    var allowed = Pattern.compile("requires\\s+static\\s+org\\.jspecify\\s*;");
    var code = SourceFile.blank(allowed, descriptor.get().code());
    return descriptor
        .get()
        .matches(
            REQUIRES, code, "core has \"%s\"", "core requires nothing but static org.jspecify");
  }
}
