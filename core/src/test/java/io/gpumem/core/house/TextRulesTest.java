package io.gpumem.core.house;

import static io.gpumem.core.house.Made.assertBroken;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A caret stands in the middle of each word, so that this file does not break the rules itself. */
class TextRulesTest {

  @ParameterizedTest
  @ValueSource(strings = {"// TO^DO later", "# FIX^ME", "int x; // XX^X why"})
  void refusesWorkPutOff(String text) {
    var script = Made.page("build/made.sh", "", whole(text));
    assertBroken(TextRules.nothingPutOff(Repository.of(script)), "made.sh:2");
  }

  @Test
  void letsPagesAndForeignContractsSpeakOfIt() {
    assertBroken(
        TextRules.nothingPutOff(
            Repository.of(
                Made.page("STYLE.md", whole("A TO^DO names nothing.")),
                Made.page("proto/src/main/proto/api.proto", whole("// TO^DO(upstream)")),
                Made.page("build/made.sh", whole("mktemp made.XX^XXXX")))));
  }

  @Test
  void refusesATestThatIsSwitchedOff() {
    var made = Made.test("io.gpumem.core", "MadeTest.java", "@Disabled", "void a() {}");
    var word = Made.test("io.gpumem.core", "WordTest.java", "// not @Disabled");
    assertBroken(TextRules.noTestSwitchedOff(Repository.of(made, word)), "MadeTest.java:3");
  }

  @Test
  void refusesAnAuthorTag() {
    var made = Made.main("io.gpumem.core", "Made.java", whole("/** @auth^or me */"));
    assertBroken(TextRules.noAuthorTags(Repository.of(made)), "Made.java:3");
  }

  @Test
  void keepsTheConsoleForTheEdge() {
    var out = "static { System.out.println(); }";
    var err = "static { System.err.println(); }";
    assertBroken(
        TextRules.consoleOnlyAtTheEdge(
            Repository.of(
                Made.main("io.gpumem.plugin", "Main.java", err),
                Made.main("io.gpumem.demo", "World.java", out),
                Made.main("io.gpumem.platform.log", "Lines.java", err),
                Made.test("io.gpumem.plugin", "PluginTest.java", out),
                Made.main("io.gpumem.plugin", "Words.java", "// System.out"),
                Made.main("io.gpumem.platform.login", "Login.java", err),
                Made.main("io.gpumem.plugin", "Plugin.java", "", out))),
        "Login.java:3",
        "Plugin.java:4");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cd /wo^rk/gpu-mem",
        "cp a /ro^ot/.m2",
        "path=/ho^me/somebody/x",
        "https://repo1.mav^en.org/maven2",
        "https://repo.mav^en.apache.org",
        "GOPROXY=https://proxy.gol^ang.org",
        "registry.np^mjs.org",
        "https://pypi.o^rg/simple"
      })
  void refusesNamesOfOneMachine(String text) {
    var page = Made.page("docs/made.md", "", "", whole(text));
    assertBroken(TextRules.noMachineNames(Repository.of(page)), "made.md:3");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://maven.apache.org/POM/4.0.0",
        "docs/wo^rk/plan",
        "/var/lib/kubelet/device-plugins/",
        "the homepage and /home"
      })
  void acceptsPathsThatAreTrueEverywhere(String text) {
    var page = Made.page("docs/made.md", whole(text));
    assertBroken(TextRules.noMachineNames(Repository.of(page)));
  }

  private static String whole(String text) {
    return text.replace("^", "");
  }
}
