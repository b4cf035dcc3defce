package io.gpumem.core.house;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Words that must not be in the texts. The patterns are put together from pieces, so that this file
 * does not break its own rules.
 */
final class TextRules {

  private static final Pattern PUT_OFF = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
  private static final Pattern AUTHOR = Pattern.compile("@auth" + "or\\b");
  private static final Pattern DISABLED = Pattern.compile("@Disabled\\b");
  private static final Pattern CONSOLE = Pattern.compile("\\bSystem\\s*\\.\\s*(out|err)\\b");

  private static final Pattern MACHINE =
      Pattern.compile(
          "(?<![\\w.])/(wo"
              + "rk|ro"
              + "ot)/|(?<![\\w.])/ho"
              + "me/\\w"
              + "|\\brepo1?\\.mav"
              + "en|proxy\\.gol"
              + "ang|sum\\.gol"
              + "ang|registry\\.np"
              + "mjs"
              + "|\\bpypi\\.o"
              + "rg|files\\.pythonh"
              + "osted|\\bcrates\\.i"
              + "o\\b|deb\\.deb"
              + "ian\\.org");

  /** Files as their owners wrote them: their words are not ours to change. */
  private static final Pattern UPSTREAM = Pattern.compile("proto/src/main/proto/.*|LICENSE");

  private TextRules() {}

  /** Pages may speak of the words; code and configuration may not use them. */
  static List<Violation> nothingPutOff(Repository house) {
    return texts(house)
        .filter(file -> !file.isMarkdown())
        .flatMap(
            file ->
                file
                    .matches(PUT_OFF, file.text(), "\"%s\"", "do it now, or say what is so and why")
                    .stream())
        .toList();
  }

  static List<Violation> noTestSwitchedOff(Repository house) {
    return house
        .java()
        .flatMap(
            file ->
                file.matches(DISABLED, file.code(), "%s", "mend the test or delete it").stream())
        .toList();
  }

  static List<Violation> noAuthorTags(Repository house) {
    return house
        .java()
        .flatMap(file -> file.matches(AUTHOR, file.text(), "%s", "the history knows it").stream())
        .toList();
  }

  static List<Violation> consoleOnlyAtTheEdge(Repository house) {
    return house
        .mainJava()
        .filter(file -> !ownsConsole(file))
        .flatMap(
            file ->
                file
                    .matches(
                        CONSOLE, file.code(), "%s", "log it, or take the stream as an argument")
                    .stream())
        .toList();
  }

  private static boolean ownsConsole(SourceFile file) {
    return file.module().equals("demo")
        || file.name().equals("Main.java")
        || file.name().equals("Program.java")
        || (file.packageName() + ".").startsWith("io.gpumem.platform.log.");
  }

  static List<Violation> noMachineNames(Repository house) {
    return texts(house)
        .flatMap(
            file ->
                file
                    .matches(
                        MACHINE,
                        file.text(),
                        "\"%s\" is true on one machine only",
                        "use a relative path, or the tool's own default")
                    .stream())
        .toList();
  }

  private static Stream<SourceFile> texts(Repository house) {
    return house.files().stream().filter(file -> !UPSTREAM.matcher(file.path()).matches());
  }
}
