package io.gpumem.extender.view;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.platform.fuzz.fake.Fuzz;
import io.gpumem.platform.fuzz.fake.Tally;
import io.gpumem.platform.log.LogFormat;
import io.gpumem.platform.log.Logging;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** Whatever stands in an annotation: it moves nothing but what it is about, and never oversells. */
class FuzzedAnnotationsProperties {

  private static final long SHORT = 6_000;
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
  void aForgedTextMovesNothingButWhatItIsAbout() {
    Fuzz fuzz = Fuzz.configured(FuzzedAnnotationsProperties.class, SHORT, PART);
    Tally tally = fuzz.play(PlayedAnnotations::new);
    System.out.printf("%s: %s", fuzz.name(), tally);
    if (fuzz.only().isEmpty()) {
      assertTrue(tally.deepPercent() >= 30, tally::toString);
      assertTrue(tally.of("reservation not so") > 0 && tally.of("reservation refused") > 0);
    }
  }
}
