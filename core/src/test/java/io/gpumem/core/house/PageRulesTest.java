package io.gpumem.core.house;

import static io.gpumem.core.house.Made.assertBroken;

import java.util.List;
import org.junit.jupiter.api.Test;

class PageRulesTest {

  @Test
  void refusesLinksThatLeadNowhere() {
    var page =
        Made.page(
            "docs/made.md",
            "[up](../README.md#why), [folder](decisions), [here](#head), [web](https://k8s.io)",
            "[gone](gone.md)",
            "![picture](images/none.png \"title\")",
            "```",
            "[in code](gone.md)",
            "```",
            "and `[in code](gone.md)` and [outside](../../secret.md)");
    var readme = Made.page("README.md", "[a page](docs/made.md) [root](/docs/made.md)");
    var decision = Made.page("docs/decisions/0001-made.md", "");
    assertBroken(
        PageRules.linksLeadSomewhere(Repository.of(page, readme, decision)),
        "made.md:2",
        "made.md:3",
        "made.md:7",
        "README.md:1");
  }

  @Test
  void refusesTheNameOfATestThatDoesNotExist() {
    var page =
        Made.page(
            "docs/failure-modes.md",
            "`LedgerTest` proves it,",
            "`LedgerProperties`, KubeletContract and CrashSim claim it, XTest is a form.");
    var test = Made.test("io.gpumem.core", "LedgerTest.java", "class LedgerTest {}");
    var style = Made.page("STYLE.md", "GhostTest");
    assertBroken(
        PageRules.testsNamedInPagesExist(Repository.of(page, test, style)),
        "failure-modes.md:2",
        "failure-modes.md:2",
        "failure-modes.md:2");
  }

  @Test
  void acceptsAChangelogInForm() {
    assertBroken(
        changelog(
            "# Changelog",
            "Free text.",
            "## Unreleased",
            "",
            "- New: a thing that",
            "  goes on.",
            "- Fix: another.",
            "## 0.1.0 (2026-12-24)",
            "- Change: it is called so now."));
  }

  @Test
  void refusesAChangelogOutOfForm() {
    assertBroken(
        changelog("# Changes", "## 0.1.0 (2026-12-24)", "- Added: x.", "## 0.0.9", "prose"),
        "CHANGELOG.md:1",
        "CHANGELOG.md:2",
        "CHANGELOG.md:3",
        "CHANGELOG.md:4",
        "CHANGELOG.md:5");
    assertBroken(changelog("# Changelog", "- New: too early."), "CHANGELOG.md:1");
    assertBroken(PageRules.changelogInForm(Repository.of()), "CHANGELOG.md:1");
  }

  private static List<Violation> changelog(String... lines) {
    return PageRules.changelogInForm(Repository.of(Made.page("CHANGELOG.md", lines)));
  }
}
