package io.gpumem.core.facts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class DecodedTest {

  @Test
  void saysWhatWasUnderstoodAndWhatNot() {
    assertEquals(Optional.of(7), Decoded.ok(7).understood());
    assertEquals(Optional.empty(), Decoded.ok(7).problem());
    assertEquals(Optional.empty(), Decoded.absent().understood());
    assertEquals(Optional.empty(), Decoded.absent().problem());
    assertEquals(Optional.empty(), Decoded.malformed("why").understood());
    assertEquals(Optional.of("why"), Decoded.malformed("why").problem());
  }
}
