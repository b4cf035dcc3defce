package io.gpumem.core.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryTest {

  @ParameterizedTest
  @CsvSource({
    "0Mi, 0",
    "0Gi, 0",
    "1Mi, 1",
    "143771Mi, 143771",
    "16Gi, 16384",
    "9223372036854775807Mi, 9223372036854775807",
    "9007199254740991Gi, 9223372036854774784"
  })
  void readsMebibytesAndGibibytes(String text, long mib) {
    assertEquals(Optional.of(Memory.ofMib(mib)), Memory.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Mi",
        "Gi",
        "16",
        "16G",
        "16Ti",
        "-1Mi",
        "+1Mi",
        "1.5Gi",
        "1 Gi",
        " 1Gi",
        "1Gi ",
        "1gi",
        "١Gi",
        "9223372036854775808Mi",
        "9007199254740992Gi"
      })
  void readsNothingElse(String text) {
    assertEquals(Optional.empty(), Memory.parse(text));
  }

  @ParameterizedTest
  @CsvSource({"0, 0Mi", "1, 1Mi", "1024, 1Gi", "1025, 1025Mi", "143771, 143771Mi", "16384, 16Gi"})
  void writesWholeGibibytesAsSuch(long mib, String text) {
    assertEquals(text, Memory.ofMib(mib).toString());
    assertEquals(Optional.of(Memory.ofMib(mib)), Memory.parse(text));
  }

  @Test
  void takesBytesAsUnsignedAndRoundsDown() {
    assertEquals(Memory.ofMib(0), Memory.ofBytes(1024 * 1024 - 1));
    assertEquals(Memory.ofMib(1), Memory.ofBytes(1024 * 1024));
    assertEquals(Memory.ofMib((1L << 44) - 1), Memory.ofBytes(-1));
  }

  @Test
  void countsWholeUnits() {
    assertEquals(139, Memory.ofMib(143155).units(Memory.ofGib(1)));
    assertEquals(0, Memory.ofMib(1023).units(Memory.ofGib(1)));
    assertEquals(143155, Memory.ofMib(143155).units(Memory.ofMib(1)));
    assertThrows(IllegalArgumentException.class, () -> Memory.ofGib(1).units(Memory.ZERO));
  }

  @Test
  void neverGoesBelowZero() {
    assertEquals(Memory.ofMib(3), Memory.ofMib(5).minusOrZero(Memory.ofMib(2)));
    assertEquals(Memory.ZERO, Memory.ofMib(2).minusOrZero(Memory.ofMib(5)));
    assertThrows(IllegalArgumentException.class, () -> Memory.ofMib(-1));
    assertThrows(IllegalArgumentException.class, () -> Memory.ofGib(-1));
  }

  @Test
  void throwsInsteadOfWrapping() {
    Memory largest = Memory.ofMib(Long.MAX_VALUE);
    assertEquals(largest, largest.plus(Memory.ZERO));
    assertThrows(ArithmeticException.class, () -> largest.plus(Memory.ofMib(1)));
    assertThrows(ArithmeticException.class, () -> Memory.ofGib(Long.MAX_VALUE));
  }

  @Test
  void sortsBySize() {
    List<Memory> sorted =
        List.of(Memory.ofGib(2), Memory.ofMib(5), Memory.ofGib(1)).stream().sorted().toList();
    assertEquals(List.of(Memory.ofMib(5), Memory.ofGib(1), Memory.ofGib(2)), sorted);
  }
}
