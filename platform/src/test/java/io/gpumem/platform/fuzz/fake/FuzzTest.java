package io.gpumem.platform.fuzz.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FuzzTest {

  private static final String TEXT = "{\"v\":1,\"list\":[1,{\"a\":\"b\"}],\"empty\":{}}";

  private static final String NOTHING = "nothing is bad";

  /** Writes down what each run got; finds fault with one text. */
  private static final class Recorder implements Fuzz.Victim {

    private final List<String> heard;
    private final int world;
    private final String bad;

    Recorder(List<String> heard, Random chance, String bad) {
      this.heard = heard;
      this.world = chance.nextInt();
      this.bad = bad;
    }

    @Override
    public Fuzz.Outcome play(Random chance, Trace trace) {
      String text = new Mutator(chance).json(TEXT);
      trace.input("text", text);
      heard.add(world + " " + text);
      assertNotEquals(bad, text);
      return new Fuzz.Outcome(text.contains("\"v\":1,") ? "version 1" : "other", true);
    }

    @Override
    public void close() {
      heard.add("closed");
    }
  }

  private static Fuzz fuzz(long runs, long seed, OptionalLong only) {
    return new Fuzz("SomeProperties", runs, seed, only);
  }

  private static List<String> heard(Fuzz fuzz) {
    List<String> heard = new ArrayList<>();
    Tally tally = fuzz.play(chance -> new Recorder(heard, chance, NOTHING));
    assertEquals(heard.stream().filter(each -> !each.equals("closed")).count(), tally.runs());
    return heard;
  }

  @Test
  void playsTheSameRunsForTheSameSeedAndOthersForAnother() {
    List<String> once = heard(fuzz(500, 7, OptionalLong.empty()));
    assertEquals(once, heard(fuzz(500, 7, OptionalLong.empty())));
    assertNotEquals(once, heard(fuzz(500, 8, OptionalLong.empty())));
    assertEquals(3, once.stream().filter("closed"::equals).count());
  }

  @Test
  void replaysOneRunWithTheBlockThatLedToIt() {
    List<String> all = heard(fuzz(1_000, 7, OptionalLong.empty()));
    List<String> replayed = heard(fuzz(0, 7, OptionalLong.of(450)));
    assertEquals(List.of("closed"), replayed.subList(51, 52));
    assertEquals(all.subList(402, 453), replayed.subList(0, 51));
  }

  @Test
  void saysOfAFindingWhatAndHowToPlayItAgain() {
    List<String> all = heard(fuzz(200, 7, OptionalLong.empty()));
    int run = 100;
    while (all.indexOf(all.get(run)) < run) {
      run++;
    }
    String line = all.get(run);
    String bad = line.substring(line.indexOf(' ') + 1);
    var found =
        assertThrows(
            AssertionError.class,
            () ->
                fuzz(200, 7, OptionalLong.empty())
                    .play(chance -> new Recorder(new ArrayList<>(), chance, bad)));
    String message = String.valueOf(found.getMessage());
    assertTrue(message.contains("seed 7, run " + run + ", input text "), message);
    assertTrue(message.contains("make fuzz FUZZ=SomeProperties SEED=7 RUN=" + run), message);
  }

  @Test
  void countsWhatCameOfTheRuns() {
    Tally tally =
        fuzz(500, 1, OptionalLong.empty()).play(c -> new Recorder(new ArrayList<>(), c, NOTHING));
    assertEquals(500, tally.of("version 1") + tally.of("other"));
    assertTrue(tally.of("version 1") > 100 && tally.of("other") > 100, tally::toString);
  }
}
