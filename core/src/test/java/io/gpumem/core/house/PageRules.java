package io.gpumem.core.house;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the pages promise: links that lead somewhere, tests that exist, a changelog in one form. */
final class PageRules {

  private static final Pattern FENCED = Pattern.compile("(?ms)^ *```.*?^ *```");
  private static final Pattern INLINE_CODE = Pattern.compile("`[^`\\n]*`");
  private static final Pattern LINK =
      Pattern.compile("\\]\\(<?([^)>\\s]+)>?(?:\\s+\"[^\"]*\")?\\)");
  private static final Pattern ELSEWHERE = Pattern.compile("[a-z][a-z0-9+.-]*:.*|#.*");

  private static final Pattern TEST_NAME =
      Pattern.compile("\\b[A-Z]\\w+(?:Test|Properties|Contract|Sim)\\b");
  private static final Pattern PAGE_OF_TESTS = Pattern.compile("README\\.md|docs/.*\\.md");

  private static final String CHANGELOG = "CHANGELOG.md";
  private static final Pattern RELEASE =
      Pattern.compile("## (Unreleased|\\d+\\.\\d+\\.\\d+ \\(\\d{4}-\\d\\d-\\d\\d\\))");
  private static final Pattern CHANGE = Pattern.compile("- (New|Fix|Change): \\S.*|  \\S.*|");

  private PageRules() {}

  static List<Violation> linksLeadSomewhere(Repository house) {
    return pages(house).flatMap(page -> deadLinks(house, page).stream()).toList();
  }

  private static List<Violation> deadLinks(Repository house, SourceFile page) {
    var prose = SourceFile.blank(INLINE_CODE, SourceFile.blank(FENCED, page.text()));
    var lines = prose.lines().toList();
    var found = new ArrayList<Violation>();
    for (int i = 0; i < lines.size(); i++) {
      var links = LINK.matcher(lines.get(i));
      while (links.find()) {
        var target = links.group(1);
        if (!ELSEWHERE.matcher(target).matches() && !house.contains(resolve(page, target))) {
          var fault = "the link to " + target + " leads nowhere";
          found.add(new Violation(page.path(), i + 1, fault, "name a file of this repository"));
        }
      }
    }
    return found;
  }

  private static String resolve(SourceFile page, String target) {
    var file = target.replaceFirst("#.*", "");
    var path = Path.of(page.path()).resolveSibling(file).normalize();
    return path.toString().replace('\\', '/');
  }

  static List<Violation> testsNamedInPagesExist(Repository house) {
    var types =
        house.java().map(file -> file.name().replace(".java", "")).collect(Collectors.toSet());
    return pages(house)
        .filter(page -> PAGE_OF_TESTS.matcher(page.path()).matches())
        .flatMap(page -> page.matches(TEST_NAME, page.text(), "%s", "").stream())
        .filter(mention -> !types.contains(mention.fault()))
        .map(
            mention ->
                new Violation(
                    mention.path(),
                    mention.line(),
                    "there is no " + mention.fault(),
                    "name a test that exists, or write it"))
        .toList();
  }

  static List<Violation> changelogInForm(Repository house) {
    var found = house.files().stream().filter(file -> file.path().equals(CHANGELOG)).findFirst();
    if (found.isEmpty()) {
      return List.of(new Violation(CHANGELOG, 1, "there is no changelog", "write one"));
    }
    return outOfForm(found.get());
  }

  /** A title, free text, then releases, newest first, each a list of entries. */
  private static List<Violation> outOfForm(SourceFile changelog) {
    var found = new ArrayList<Violation>();
    var lines = changelog.lines();
    if (lines.isEmpty() || !lines.getFirst().equals("# Changelog")) {
      found.add(new Violation(CHANGELOG, 1, "no title", "begin with \"# Changelog\""));
    }
    boolean released = false;
    for (int i = 1; i < lines.size(); i++) {
      var line = lines.get(i);
      if (!released && line.startsWith("#")) {
        released = true;
        if (!line.equals("## Unreleased")) {
          found.add(new Violation(CHANGELOG, i + 1, line, "\"## Unreleased\" comes first"));
        }
      } else if (released && !isInForm(line)) {
        var remedy = "write \"- New: …\", \"- Fix: …\" or \"- Change: …\", or \"## 1.2.3 (date)\"";
        found.add(new Violation(CHANGELOG, i + 1, "\"" + line + "\" has no known form", remedy));
      }
    }
    if (!released) {
      found.add(new Violation(CHANGELOG, 1, "no release", "add \"## Unreleased\""));
    }
    return found;
  }

  private static boolean isInForm(String line) {
    return RELEASE.matcher(line).matches() || CHANGE.matcher(line).matches();
  }

  private static Stream<SourceFile> pages(Repository house) {
    return house.files().stream().filter(SourceFile::isMarkdown);
  }
}
