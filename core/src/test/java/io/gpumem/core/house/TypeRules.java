package io.gpumem.core.house;

import io.gpumem.core.house.JavaTree.Declaration;
import io.gpumem.core.house.JavaTree.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a type is called and what it says of itself. */
final class TypeRules {

  private static final Set<String> EMPTY_WORDS =
      Set.of("Manager", "Helper", "Helpers", "Util", "Utils", "Impl", "Common", "Base");

  private static final Pattern WORDS =
      Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

  private static final Pattern MARKED =
      Pattern.compile("@(org\\.jspecify\\.annotations\\.)?NullMarked\\s+package\\b");
  private static final Pattern PUBLIC =
      Pattern.compile("(?s)(@[\\w.]+(\\(.*?\\))?\\s+)*public\\b.*");
  private static final Pattern COMMENT_END = Pattern.compile("(?s).*/\\*\\*(.*?)\\*/\\s*");
  private static final Pattern MARKDOWN_END =
      Pattern.compile("(?s).*?((?:[ \\t]*///[^\\n]*\\n)+)\\s*");
  private static final Pattern FULL_STOP = Pattern.compile("\\.[\"')}]*(\\s|$)");

  private TypeRules() {}

  static List<Violation> namesThatSaySomething(Repository house) {
    return house.java().flatMap(file -> emptyNames(house, file)).toList();
  }

  private static Stream<Violation> emptyNames(Repository house, SourceFile file) {
    return house.declarations(file).stream()
        .filter(it -> it.kind() == Kind.TYPE)
        .filter(it -> Arrays.stream(WORDS.split(it.name())).anyMatch(EMPTY_WORDS::contains))
        .map(
            it ->
                new Violation(
                    file.path(),
                    it.firstLine(),
                    "the type name " + it.name() + " says nothing of what it is",
                    "find the noun; banned are " + new TreeSet<>(EMPTY_WORDS)));
  }

  static List<Violation> nullMarkedPackages(Repository house) {
    return house
        .mainJava()
        .filter(file -> !file.packageName().isEmpty())
        .map(file -> file.path().substring(0, file.path().lastIndexOf('/')) + "/package-info.java")
        .distinct()
        .filter(path -> house.mainJava().noneMatch(file -> isMarked(file, path)))
        .map(path -> new Violation(path, 1, "the package is not @NullMarked", "write this file so"))
        .toList();
  }

  private static boolean isMarked(SourceFile file, String path) {
    return file.path().equals(path) && MARKED.matcher(file.code()).find();
  }

  static List<Violation> publicTypesExplained(Repository house) {
    return house.mainJava().flatMap(file -> unexplained(house, file)).toList();
  }

  private static Stream<Violation> unexplained(Repository house, SourceFile file) {
    return house.declarations(file).stream()
        .filter(it -> it.kind() == Kind.TYPE && it.depth() == 0)
        .filter(it -> PUBLIC.matcher(file.text().substring(it.start())).lookingAt())
        .filter(it -> !hasFirstSentence(file, it))
        .map(
            it ->
                new Violation(
                    file.path(),
                    it.firstLine(),
                    "the public type " + it.name() + " has no Javadoc with a first sentence",
                    "say what the thing is, and end the sentence with a full stop"));
  }

  /** In the first paragraph, since that is as far as the Javadoc tool looks for it. */
  private static boolean hasFirstSentence(SourceFile file, Declaration type) {
    var before = file.text().substring(0, type.start());
    var comment = COMMENT_END.matcher(before);
    var markdown = MARKDOWN_END.matcher(before);
    var text = comment.matches() ? comment.group(1) : markdown.matches() ? markdown.group(1) : "";
    var plain = text.replaceAll("(?m)^[ \\t]*(///|\\*)[ \\t]?", "").strip();
    var paragraph = plain.split("(?m)^@|<p>|\\n\\s*\\n", 2)[0];
    return FULL_STOP.matcher(paragraph).find();
  }
}
