package io.gpumem.extender.http;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.fuzz.fake.Fuzz;
import io.gpumem.platform.fuzz.fake.Tally;
import io.gpumem.platform.log.LogFormat;
import io.gpumem.platform.log.Logging;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** Whatever the scheduler's socket brings: an answer that is documented, and the books stand. */
class FuzzedRequestsProperties {

  private static final long SHORT = 8_000;
  private static final int PART = 3;

  @BeforeAll
  static void silence() {
    Logging.configure(LogFormat.TEXT, Level.ERROR);
  }

  @AfterAll
  static void speak() {
    Logging.configure(LogFormat.TEXT, Level.INFO);
  }

  @Test
  void everyRequestIsAnsweredAndOnlyABindingChangesTheBooks() {
    Fuzz fuzz = Fuzz.configured(FuzzedRequestsProperties.class, SHORT, PART);
    Tally tally = fuzz.play(PlayedRequests::new);
    System.out.printf("%s: %s", fuzz.name(), tally);
    if (fuzz.only().isEmpty()) {
      assertTrue(tally.deepPercent() >= 30, tally::toString);
      assertTrue(tally.of("bind: bound") > 0 && tally.of("filter: passed some") > 0);
    }
  }
}
