package io.gpumem.core.house;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The rules of STYLE.md that a machine can judge, held against every file of the repository. Each
 * rule is a function from a repository to violations, and has a test of its own on made-up offences
 * in the class named after it.
 */
class HouseRulesTest {

  private static final Repository HOUSE = Repository.here();

  @Test
  void theWholeRepositoryIsRead() {
    assertTrue(HOUSE.contains("pom.xml"));
    assertTrue(HOUSE.contains("core/src/main/java/io/gpumem/core/units/Memory.java"));
    assertTrue(HOUSE.contains("core/src/test/java/io/gpumem/core/house/HouseRulesTest.java"));
    assertTrue(HOUSE.paths().stream().noneMatch(path -> path.contains("target/")));
  }

  @Test
  void filesAreShort() {
    holds(SizeRules.shortFiles(HOUSE));
  }

  @Test
  void methodsAreShort() {
    holds(SizeRules.shortMethods(HOUSE));
  }

  @Test
  void coreReadsNoWorld() {
    holds(CoreFence.pure(HOUSE));
  }

  @Test
  void coreRequiresNothing() {
    holds(CoreFence.requiresNothing(HOUSE));
  }

  @Test
  void librariesStayInTheirRooms() {
    holds(Rooms.librariesInTheirRooms(HOUSE));
  }

  @Test
  void shippedCodeNamesNoFakes() {
    holds(Rooms.fakesStayOutOfShippedCode(HOUSE));
  }

  @Test
  void modulesLookInwards() {
    holds(Rooms.modulesLookInwards(HOUSE));
  }

  @Test
  void typeNamesSaySomething() {
    holds(TypeRules.namesThatSaySomething(HOUSE));
  }

  @Test
  void packagesAreNullMarked() {
    holds(TypeRules.nullMarkedPackages(HOUSE));
  }

  @Test
  void publicTypesAreExplained() {
    holds(TypeRules.publicTypesExplained(HOUSE));
  }

  @Test
  void nothingIsPutOff() {
    holds(TextRules.nothingPutOff(HOUSE));
  }

  @Test
  void noTestIsSwitchedOff() {
    holds(TextRules.noTestSwitchedOff(HOUSE));
  }

  @Test
  void noAuthorIsTagged() {
    holds(TextRules.noAuthorTags(HOUSE));
  }

  @Test
  void onlyTheEdgeWritesToTheConsole() {
    holds(TextRules.consoleOnlyAtTheEdge(HOUSE));
  }

  @Test
  void noMachineIsNamed() {
    holds(TextRules.noMachineNames(HOUSE));
  }

  @Test
  void changelogHasItsForm() {
    holds(PageRules.changelogInForm(HOUSE));
  }

  @Test
  void linksLeadSomewhere() {
    holds(PageRules.linksLeadSomewhere(HOUSE));
  }

  @Test
  void testsNamedInPagesExist() {
    holds(PageRules.testsNamedInPagesExist(HOUSE));
  }

  @Test
  void pitfallsAreProvedOrExplained() {
    holds(ProofPage.everythingIsProvedOrExplained(HOUSE));
  }

  private static void holds(List<Violation> violations) {
    assertTrue(
        violations.isEmpty(),
        () -> violations.stream().map(it -> "\n" + it).collect(Collectors.joining()));
  }
}
