package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.fuzz.fake.Fuzz;
import io.gpumem.platform.fuzz.fake.Tally;
import org.junit.jupiter.api.Test;

/** Whatever the kubelet's calls hold: an answer or the documented refusal, and the books stand. */
class FuzzedCallsProperties {

  private static final long SHORT = 6_000;
  private static final int PART = 3;

  @Test
  void everyCallIsAnsweredAndTheBooksStayTheTruth() {
    Fuzz fuzz = Fuzz.configured(FuzzedCallsProperties.class, SHORT, PART);
    Tally tally = fuzz.play(PlayedCalls::new);
    System.out.printf("%s: %s", fuzz.name(), tally);
    if (fuzz.only().isEmpty()) {
      assertTrue(tally.deepPercent() >= 30, tally::toString);
      assertTrue(tally.of("Allocate granted") > 0 && tally.of("preferred") > 0, tally::toString);
    }
  }
}
