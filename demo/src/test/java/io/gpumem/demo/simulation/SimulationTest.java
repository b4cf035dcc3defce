package io.gpumem.demo.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.log.LogFormat;
import io.gpumem.platform.log.Logging;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** Whole worlds from seeds: the rules of the design hold after each step, and the end is right. */
class SimulationTest {

  private static final int SEEDS = 500;

  @BeforeAll
  static void quiet() {
    Logging.configure(LogFormat.TEXT, Level.ERROR);
  }

  @Test
  void everyRuleHoldsInEveryWorld() {
    List<String> failures =
        LongStream.range(0, SEEDS)
            .parallel()
            .mapToObj(Run::whole)
            .filter(result -> !result.isWell())
            .map(Main::report)
            .toList();
    assertEquals(List.of(), failures, () -> String.join(System.lineSeparator(), failures));
  }

  @Test
  void theSeedsOfTheTestDrawEveryFaultAndWorldsWithoutOne() {
    Set<Fault> drawn = EnumSet.noneOf(Fault.class);
    LongStream.range(0, SEEDS).forEach(seed -> drawn.addAll(Moves.faults(seed)));
    assertEquals(EnumSet.allOf(Fault.class), drawn);
    assertTrue(LongStream.range(0, SEEDS).anyMatch(seed -> Moves.faults(seed).isEmpty()));
  }

  @Test
  void theSameSeedGivesTheSameTrace() {
    for (long seed : new long[] {1, 27, 391}) {
      Run.Result once = Run.whole(seed);
      assertEquals(once.trace(), Run.whole(seed).trace(), "seed " + seed);
      assertFalse(once.trace().isEmpty());
    }
  }

  /** Sets and maps of the JDK have another order in each process: none may decide anything. */
  @Test
  void anotherProcessGivesTheSameTrace() throws Exception {
    long seed = 44;
    Run.Result here = Run.whole(seed);
    assertEquals(
        String.join("\n", here.trace()),
        lines(replayed(seed, here.moves())).stream()
            .limit(here.trace().size())
            .collect(java.util.stream.Collectors.joining("\n")));
  }

  private static List<String> lines(String text) {
    return text.lines().toList();
  }

  private static String replayed(long seed, int moves) throws IOException, InterruptedException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Process process =
        new ProcessBuilder(
                java.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "1",
                Long.toString(seed),
                Integer.toString(moves))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    return out;
  }

  @Test
  void aPrefixMakesTheSameMovesAsTheWhole() {
    Run.Result whole = Run.whole(27);
    Run.Result prefix = Run.prefix(27, whole.moves() / 2);
    int same = 0;
    while (same < prefix.trace().size()
        && prefix.trace().get(same).equals(whole.trace().get(same))) {
      same++;
    }
    assertTrue(prefix.trace().get(same).contains("all faults end"), prefix.trace().get(same));
  }

  @Test
  void theShortestFailingPrefixIsFound() {
    Set<Integer> tried = new TreeSet<>();
    int fewest =
        Run.fewest(
            40,
            moves -> {
              tried.add(moves);
              return moves != 17 && moves < 30;
            });
    assertEquals(17, fewest);
    assertEquals(18, tried.size());
    assertEquals(5, Run.fewest(5, moves -> true));
  }

  @Test
  void aReportSaysHowToSeeItAgain() {
    Run.Result well = Run.prefix(3, 4);
    Run.Result failing =
        new Run.Result(3, 4, well.faults(), List.of("sold twice"), well.trace(), 0, 0);
    String report = Main.report(failing);
    assertTrue(report.contains("make sim FIRST=3 MOVES="), report);
  }
}
