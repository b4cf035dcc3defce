package io.gpumem.core.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RankingTest {

  private static Map<Long, Integer> scores(Long... costs) {
    return Ranking.scores(List.of(costs), Long::longValue);
  }

  @Test
  void theCheapestGetsTheBestScore() {
    assertEquals(Map.of(3L, 10, 7L, 9, 100L, 8), scores(100L, 3L, 7L));
  }

  @Test
  void equalCostsScoreAlike() {
    Map<String, Integer> scores =
        Ranking.scores(List.of("a1", "b2", "c1", "d2"), node -> node.charAt(1));
    assertEquals(Map.of("a1", 10, "c1", 10, "b2", 9, "d2", 9), scores);
  }

  @Test
  void oneOutlierPressesNobodyTogether() {
    assertEquals(Map.of(1L, 10, 2L, 9, Long.MAX_VALUE, 8), scores(1L, 2L, Long.MAX_VALUE));
  }

  @Test
  void costsOfAllSignsAndSizesAreRanked() {
    assertEquals(
        Map.of(Long.MIN_VALUE, 10, -1L, 9, 0L, 8, Long.MAX_VALUE, 7),
        scores(0L, Long.MAX_VALUE, -1L, Long.MIN_VALUE));
  }

  @Test
  void manyCostsStayWithinTheSchedulersScale() {
    List<Long> costs = LongStream.range(0, 100).boxed().toList();
    Map<Long, Integer> scores = Ranking.scores(costs, Long::longValue);
    assertEquals(100, scores.size());
    assertEquals(10, scores.get(0L));
    assertEquals(0, scores.get(10L));
    assertEquals(0, scores.get(99L));
  }

  @Test
  void noCandidateNoScore() {
    assertEquals(Map.of(), scores());
  }
}
