package io.gpumem.core.mutants;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kept mutants fit the code and the tests of today; {@code make mutants} proves the kills. */
class MutantsTest {

  private static final Path ROOT = Path.of("..");

  /** Each must that a patch can break has one. */
  private static final int FEWEST = 14;

  static Stream<Mutant> mutants() {
    return Mutant.allIn(ROOT).stream();
  }

  @Test
  void thereIsAMutantForEachMust() {
    List<Mutant> all = mutants().toList();
    assertTrue(all.size() >= FEWEST, all.size() + " mutants");
    assertEquals(all.size(), all.stream().map(Mutant::must).distinct().count());
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void appliesToTheCodeOfToday(Mutant mutant) throws IOException {
    assertTrue(mutant.patch().path().contains("/src/main/java/"), "shipped code is mutated");
    String source = Files.readString(ROOT.resolve(mutant.patch().path()));
    assertFalse(source.equals(mutant.patch().apply(source)));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isKilledByATestThatExists(Mutant mutant) throws IOException {
    String test = Files.readString(ROOT.resolve(mutant.testSource()));
    assertTrue(test.contains("void " + mutant.testMethod() + "("), mutant::killer);
  }
}
