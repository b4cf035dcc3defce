package io.gpumem.core.house;

import static io.gpumem.core.house.Made.assertBroken;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TypeRulesTest {

  private static final String PACKAGE = "io.gpumem.core.made";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "class GpuManager {}",
        "record ManagerOfGpus() {}",
        "interface NVMLUtil {}",
        "enum StringUtils {}",
        "class KubeletImpl {}",
        "class BaseTest {}",
        "class CommonWords {}",
        "class Fine { static class TestHelper {} }"
      })
  void refusesNamesThatSayNothing(String type) {
    assertBroken(
        TypeRules.namesThatSaySomething(
            Repository.of(Made.test(PACKAGE, "MadeTest.java", "", type))),
        "MadeTest.java:4");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"class Database {}", "class Utilization {}", "class Fine { int manager; }"})
  void acceptsNamesThatOnlyContainTheLetters(String type) {
    assertBroken(
        TypeRules.namesThatSaySomething(Repository.of(Made.main(PACKAGE, "Made.java", type))));
  }

  @Test
  void refusesAPackageThatIsNotNullMarked() {
    var type = Made.main(PACKAGE, "Made.java", "class Made {}");
    var marked =
        new SourceFile(
            "core/src/main/java/io/gpumem/core/made/package-info.java",
            "/** Made up. */\n@NullMarked\npackage io.gpumem.core.made;\n");
    var unmarked = new SourceFile(marked.path(), "// @NullMarked\npackage io.gpumem.core.made;\n");
    assertBroken(TypeRules.nullMarkedPackages(Repository.of(type, marked)));
    assertBroken(
        TypeRules.nullMarkedPackages(Repository.of(type, unmarked)), "package-info.java:1");
    assertBroken(TypeRules.nullMarkedPackages(Repository.of(type)), "package-info.java:1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "public record Made() {}",
        "@Deprecated public final class Made {}",
        "// A line comment.\npublic class Made {}",
        "/** No full stop */\npublic class Made {}",
        "/** */\npublic class Made {}",
        "/**\n * The head\n *\n * <p>And a sentence.\n */\npublic class Made {}",
        "/** @param x a thing. */\npublic record Made(int x) {}",
        "/** Of another. */\nclass Other {}\npublic class Made {}",
        "/// No full stop\npublic class Made {}"
      })
  void refusesAPublicTypeWithoutAFirstSentence(String type) {
    var found =
        TypeRules.publicTypesExplained(Repository.of(Made.main(PACKAGE, "Made.java", type)));
    var line =
        3 + (int) type.substring(0, type.indexOf("public ")).chars().filter(c -> c == '\n').count();
    assertBroken(found, "Made.java:" + line);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/** A sentence. */\npublic class Made {}",
        "/**\n * A sentence over\n * two lines. And one more\n */\n@Deprecated\npublic class Made {}",
        "/** A sentence.\n * @param x thing */\npublic record Made(int x) {}",
        "/// A sentence.\n/// And more\npublic class Made {}",
        "/** Quotes \"so.\" */\npublic class Made {}",
        "class Hidden { public static class Inner {} }"
      })
  void acceptsAPublicTypeThatIsExplained(String type) {
    assertBroken(
        TypeRules.publicTypesExplained(Repository.of(Made.main(PACKAGE, "Made.java", type))));
  }
}
