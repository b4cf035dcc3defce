package io.gpumem.core.house;

import static io.gpumem.core.house.Made.assertBroken;

import java.util.Collections;
import org.junit.jupiter.api.Test;

class SizeRulesTest {

  @Test
  void refusesTheFourHundredAndFirstLine() {
    var fits = Made.page("core/src/test/java/io/gpumem/core/Fits.java", comments(400));
    var long1 = Made.page("core/src/test/java/io/gpumem/core/Long.java", comments(401));
    assertBroken(SizeRules.shortFiles(Repository.of(fits, long1)), "Long.java:401");
  }

  @Test
  void refusesTheFiftyFirstLineOfAMethod() {
    var fits = Made.test("io.gpumem.core", "Fits.java", "class Fits {", method(50), "}");
    var long1 = Made.main("io.gpumem.core", "Long.java", "class Long {", "", method(51), "}");
    assertBroken(SizeRules.shortMethods(Repository.of(fits, long1)), "Long.java:5");
  }

  @Test
  void countsLambdasAndAnnotationsWithTheirMethod() {
    var lambda =
        "  @Deprecated\n  Runnable r() {\n    return () -> {\n" + "\n".repeat(46) + "};\n  }";
    var made = Made.main("io.gpumem.core", "Made.java", "class Made {", lambda, "}");
    assertBroken(SizeRules.shortMethods(Repository.of(made)), "Made.java:4");
  }

  private static String method(int lines) {
    return "  void m() {" + "\n".repeat(lines - 1) + "  }";
  }

  private static String[] comments(int lines) {
    return Collections.nCopies(lines, "//").toArray(String[]::new);
  }
}
