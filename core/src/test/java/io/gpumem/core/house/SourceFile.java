package io.gpumem.core.house;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A text file of the repository. The path is relative to the root and written with slashes. */
record SourceFile(String path, String text) {

  private static final Pattern JAVA_ROOM =
      Pattern.compile("([^/]+)/src/(main|test)/java/(?:(.*)/)?([^/]+)\\.java");

  /** Text blocks before strings, and both before comments: each may hold the others' quotes. */
  private static final Pattern NOT_CODE =
      Pattern.compile(
          "\"\"\"[\\s\\S]*?(?<!\\\\)\"\"\""
              + "|\"(?:\\\\.|[^\"\\\\\\n])*+\""
              + "|'(?:\\\\.|[^'\\\\\\n])++'"
              + "|//[^\\n]*"
              + "|/\\*[\\s\\S]*?\\*/");

  boolean isJava() {
    return path.endsWith(".java");
  }

  /**
   * Shipped Java: under a module's main tree. Generated sources live in target and are not read.
   */
  boolean isMain() {
    return tree().equals("main");
  }

  boolean isMarkdown() {
    return path.endsWith(".md");
  }

  String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** The first part of the path, which for everything under a Maven module is the module. */
  String module() {
    return path.substring(0, Math.max(0, path.indexOf('/')));
  }

  /** The package as the path gives it, which javac holds equal to the declared one. */
  String packageName() {
    return room(3).replace('/', '.');
  }

  /** {@code io.gpumem.core.units.Memory}; for a file outside the Java trees only a dot. */
  String qualifiedName() {
    return packageName() + "." + room(4);
  }

  private String tree() {
    return room(2);
  }

  private String room(int group) {
    var matcher = JAVA_ROOM.matcher(path);
    return matcher.matches() && matcher.group(group) != null ? matcher.group(group) : "";
  }

  /** The Java text with comments and literals blanked; every line keeps its number. */
  String code() {
    return blank(NOT_CODE, text);
  }

  /** Each match becomes its own line breaks and a space, so that line numbers stay right. */
  static String blank(Pattern pattern, String text) {
    return pattern.matcher(text).replaceAll(found -> found.group().replaceAll("[^\\n]+", " "));
  }

  List<String> lines() {
    return text.lines().toList();
  }

  /** One violation for each match; {@code %s} in the fault stands for the matched text. */
  List<Violation> matches(Pattern pattern, String searched, String fault, String remedy) {
    return pattern
        .matcher(searched)
        .results()
        .map(found -> violation(found, searched, fault, remedy))
        .toList();
  }

  private Violation violation(MatchResult found, String searched, String fault, String remedy) {
    var line =
        1 + (int) searched.substring(0, found.start()).chars().filter(c -> c == '\n').count();
    return new Violation(path, line, fault.replace("%s", found.group().strip()), remedy);
  }
}
