package io.gpumem.core.house;

import static io.gpumem.core.house.Made.assertBroken;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CoreFenceTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "import java.io.File;",
        "import java.nio.file.Path;",
        "import java.net.URI;",
        "import java.util.logging.Logger;",
        "import java.util.concurrent.ExecutorService;",
        "import static java.lang.System.nanoTime;",
        "import static java.lang.System.*;",
        "long now = System.currentTimeMillis();",
        "LongSupplier clock = System::nanoTime;",
        "String user = System.getenv(\"USER\");",
        "Thread thread = null;",
        "var local = new ThreadLocal<String>();",
        "var now = Instant.now();",
        "var today = LocalDate.now();",
        "var clock = Clock.systemUTC();",
        "double chance = Math.random();",
        "var random = new Random();",
        "var random = new java.util.SplittableRandom( );",
        "Supplier<Random> random = Random::new;",
        "var random = RandomGenerator.getDefault();",
        "var id = UUID.randomUUID();",
        "java.io.Reader reader = null;"
      })
  void refusesWhatReadsTheWorld(String line) {
    var made = Made.main("io.gpumem.core.made", "Made.java", "", line);
    assertBroken(CoreFence.pure(Repository.of(made)), "Made.java:4");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "// System.out is for the edges",
        "/** Not {@code java.io.File}. */",
        "String text = \"java.io.File and Instant.now()\";",
        "import java.nio.charset.StandardCharsets;",
        "var random = new Random(seed);",
        "Instant now = given;",
        "import java.time.Clockwork;"
      })
  void acceptsWhatOnlyLooksLikeIt(String line) {
    var made = Made.main("io.gpumem.core.made", "Made.java", line);
    assertBroken(CoreFence.pure(Repository.of(made)));
  }

  @Test
  void leavesTestsAndOtherModulesAlone() {
    var test = Made.test("io.gpumem.core.made", "MadeTest.java", "import java.io.File;");
    var edge = Made.main("io.gpumem.platform.made", "Made.java", "import java.io.File;");
    assertBroken(CoreFence.pure(Repository.of(test, edge)));
  }

  @Test
  void refusesEveryRequirementButTheNullnessAnnotations() {
    assertBroken(CoreFence.requiresNothing(descriptor("  requires static org.jspecify;")));
    assertBroken(
        CoreFence.requiresNothing(descriptor("  requires org.jspecify;")), "module-info.java:2");
    assertBroken(
        CoreFence.requiresNothing(descriptor("  requires transitive java.net.http;")),
        "module-info.java:2");
  }

  @Test
  void refusesAMissingDescriptor() {
    assertBroken(CoreFence.requiresNothing(Repository.of()), "module-info.java:1");
  }

  private static Repository descriptor(String line) {
    var path = "core/src/main/java/module-info.java";
    return Repository.of(Made.page(path, "module io.gpumem.core {", line, "}"));
  }
}
