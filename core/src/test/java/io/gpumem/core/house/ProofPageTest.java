package io.gpumem.core.house;

import static io.gpumem.core.house.Made.assertBroken;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProofPageTest {

  private static final SourceFile TESTS =
      Made.test(
          "io.gpumem.core",
          "LedgerTest.java",
          "class LedgerTest {",
          "  @Test",
          "  void neverSellsTwice() {}",
          "",
          "  /** Seeded. */",
          "  @ParameterizedTest(name = \"seed {0}\")",
          "  @MethodSource(\"seeds\")",
          "  void neverSellsTwiceByChance(long seed) {}",
          "",
          "  void helps() {}",
          "}");

  private static final SourceFile CODE =
      Made.main(
          "io.gpumem.core",
          "Ledger.java",
          "/** Books. */",
          "public class Ledger {",
          "  void sells() {}",
          "}");

  private static final String REASON = "*Not built:* it belongs to the chart";

  @Test
  void acceptsTestsThatExistAndReasons() {
    assertBroken(
        page(
            row("7", "`LedgerTest.neverSellsTwice`, `LedgerTest.neverSellsTwiceByChance`"),
            row("8", "`LedgerTest.neverSellsTwice`; " + REASON),
            row("9", "*Real cluster:* only a kubelet can show it")));
  }

  @Test
  void refusesATestThatDoesNotExist() {
    assertBroken(
        page(
            row("7", "`LedgerTest.sellsTwice`"),
            row("8", "`GhostTest.neverSellsTwice`"),
            row("9", "`LedgerTest.helps`"),
            row("M1", "`Ledger.sells`")),
        "pitfalls.md:4",
        "pitfalls.md:5",
        "pitfalls.md:6",
        "pitfalls.md:7");
  }

  @Test
  void refusesARowWithoutProofOrReason() {
    assertBroken(
        page(
            row("7", "surely"),
            row("8", "`LedgerTest`"),
            row("9", "*Not built:* later"),
            row("M1", "*Perhaps:* it is quite well")),
        "pitfalls.md:4",
        "pitfalls.md:5",
        "pitfalls.md:6",
        "pitfalls.md:7");
  }

  @Test
  void refusesNumbersThatAreMissingOrTwiceOrUnknown() {
    assertBroken(
        page(row("7", REASON), row("7", REASON), row("44", REASON), row("F18", REASON)),
        "pitfalls.md:5",
        "pitfalls.md:6",
        "pitfalls.md:7");
    var only = Made.page("docs/pitfalls.md", row("1", REASON));
    var found = ProofPage.everythingIsProvedOrExplained(Repository.of(only));
    assertEquals(42 + 11 + 17 + 15, found.size());
    assertEquals("there is no row 2", found.getFirst().fault());
    assertEquals("there is no row A15", found.getLast().fault());
  }

  @Test
  void refusesALineOfATableThatIsNoRow() {
    assertBroken(
        page("| 7 | two cells |", "| 8 | four | cells | of them |"),
        "pitfalls.md:4",
        "pitfalls.md:5",
        "pitfalls.md:1",
        "pitfalls.md:1");
  }

  @Test
  void refusesARepositoryWithoutThePage() {
    assertBroken(ProofPage.everythingIsProvedOrExplained(Repository.of(TESTS)), "pitfalls.md:1");
  }

  private static String row(String key, String proof) {
    return "| " + key + " | what goes wrong | " + proof + " |";
  }

  /** A page with these rows first, and every other number with a reason. */
  private static List<Violation> page(String... rows) {
    var lines = new ArrayList<>(List.of("Text.", "| no | what | shown by |", "|---|---|---|"));
    lines.addAll(List.of(rows));
    Map<String, Integer> counts = Map.of("", 43, "M", 11, "F", 17, "A", 15);
    counts.forEach(
        (letter, count) ->
            IntStream.rangeClosed(1, count)
                .mapToObj(number -> letter + number)
                .filter(key -> lines.stream().noneMatch(line -> line.startsWith("| " + key + " ")))
                .forEach(key -> lines.add(row(key, REASON))));
    var made = Made.page("docs/pitfalls.md", lines.toArray(String[]::new));
    return ProofPage.everythingIsProvedOrExplained(Repository.of(made, TESTS, CODE));
  }
}
