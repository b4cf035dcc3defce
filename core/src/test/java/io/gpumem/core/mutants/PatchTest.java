package io.gpumem.core.mutants;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class PatchTest {

  private static final String TEXT = "a\nb\nc\nd\ne\n";

  private static Patch patch(String... hunks) {
    var lines = new java.util.ArrayList<>(List.of("--- a/A.java", "+++ b/A.java"));
    for (String hunk : hunks) {
      lines.add("@@ -1 +1 @@");
      lines.addAll(hunk.lines().toList());
    }
    return Patch.parse(lines);
  }

  private static String wrong(Runnable bad) {
    return String.valueOf(assertThrows(IllegalArgumentException.class, bad::run).getMessage());
  }

  @Test
  void appliesEachHunkWhereItsOldLinesAre() {
    assertEquals("a\nB\nc\nd\ne\n", patch(" a\n-b\n+B\n c\n").apply(TEXT));
    assertEquals("a\nb\nd\ne\nf\n", patch(" b\n-c\n d\n", " e\n+f\n").apply(TEXT));
    assertEquals("x\na\nb\nc\nd\ne\n", patch("+x\n a\n").apply(TEXT));
  }

  @Test
  void appliesNothingThatIsNowhereOrInTwoPlaces() {
    assertTrue(wrong(() -> patch("-B\n+b\n").apply(TEXT)).contains("nowhere"));
    assertTrue(wrong(() -> patch("-a\n+b\n").apply("a\na\n")).contains("in two places"));
    assertTrue(wrong(() -> patch("-b\n+B\n").apply("a\nxb\n")).contains("nowhere"));
  }

  @Test
  void refusesWhatIsNoDiffOfOneFile() {
    assertTrue(wrong(() -> Patch.parse(List.of("@@"))).contains("--- a/"));
    assertTrue(wrong(() -> Patch.parse(List.of("--- a/A", "+++ b/B", "@@"))).contains("b/A"));
    assertTrue(wrong(() -> patch(" a\n")).contains("a change"));
    assertTrue(wrong(() -> patch("+a\n")).contains("old lines"));
    assertTrue(wrong(() -> patch("*a\n")).contains("' ', - or +"));
  }

  @Test
  void readsWhatAMutantBreaksAndWhoKillsIt() {
    String text =
        """
        Breaks: 1, nothing is sold twice.
        Killed by: io.gpumem.core.units.UnitsTest#sums

        --- a/core/A.java
        +++ b/core/A.java
        @@ -1 +1 @@
        -a
        +b
        """;
    Mutant mutant = Mutant.parse("sold-twice", text);
    assertEquals("1, nothing is sold twice.", mutant.must());
    assertEquals("io.gpumem.core.units.UnitsTest#sums", mutant.killer());
    assertEquals("core/src/test/java/io/gpumem/core/units/UnitsTest.java", mutant.testSource());
    assertEquals("core/A.java", mutant.patch().path());
    assertTrue(wrong(() -> Mutant.parse("x", text.replace("#sums", ""))).contains("<method>"));
    assertTrue(wrong(() -> Mutant.parse("x", text.replace("Breaks", "b"))).contains("Breaks"));
  }
}
