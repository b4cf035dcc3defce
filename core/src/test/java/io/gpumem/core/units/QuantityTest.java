package io.gpumem.core.units;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "16, 16",
    "+16, 16",
    "007, 7",
    "16., 16",
    "16.0, 16",
    "16.000000000000, 16",
    "4294967297, 4294967297",
    "9223372036854775807, 9223372036854775807"
  })
  void readsPlainNumbers(String text, long units) {
    assertEquals(OptionalLong.of(units), Quantity.wholeNumber(text));
  }

  @ParameterizedTest
  @CsvSource({
    "3000000000n, 3",
    "2000000u, 2",
    "3000m, 3",
    "0m, 0",
    "1k, 1000",
    "1.5k, 1500",
    "2M, 2000000",
    "10G, 10000000000",
    "1T, 1000000000000",
    "1P, 1000000000000000",
    "1E, 1000000000000000000",
    ".5k, 500",
    ".001k, 1"
  })
  void readsDecimalSuffixes(String text, long units) {
    assertEquals(OptionalLong.of(units), Quantity.wholeNumber(text));
  }

  @ParameterizedTest
  @CsvSource({
    "2Ki, 2048",
    "0.5Ki, 512",
    "1Mi, 1048576",
    "16Gi, 17179869184",
    "1Ti, 1099511627776",
    "1Pi, 1125899906842624",
    "7Ei, 8070450532247928832"
  })
  void readsBinarySuffixes(String text, long units) {
    assertEquals(OptionalLong.of(units), Quantity.wholeNumber(text));
  }

  @ParameterizedTest
  @CsvSource({
    "1e3, 1000",
    "1E3, 1000",
    "1e+3, 1000",
    "1.5e1, 15",
    "4000e-3, 4",
    "0e5, 0",
    "0e999, 0",
    "0e-999, 0",
    "1e18, 1000000000000000000"
  })
  void readsExponents(String text, long units) {
    assertEquals(OptionalLong.of(units), Quantity.wholeNumber(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "9223372036854775808",
        "18446744073709551617",
        "8Ei",
        "10E",
        "1e19",
        "1e60",
        "1e999",
        "0.000000001e61",
        "999999999999999999999999999999999999999999999999999999999999999"
      })
  void stopsAtTheLargestLongInsteadOfWrapping(String text) {
    assertEquals(OptionalLong.of(Long.MAX_VALUE), Quantity.wholeNumber(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1500m", "0.5", "1.5", "1n", "999999999n", "0.3Ki", "15e-1", "1e-60", "1e-999"})
  void refusesPartsOfAUnit(String text) {
    assertEquals(OptionalLong.empty(), Quantity.wholeNumber(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "-0.5", "-16Gi", "-9223372036854775808"})
  void refusesNegativeAmounts(String text) {
    assertEquals(OptionalLong.empty(), Quantity.wholeNumber(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "Gi",
        ".",
        "+",
        "e3",
        "1e",
        "1e1000",
        "1 Gi",
        " 1",
        "1 ",
        "1gi",
        "1K",
        "1ki",
        "1mi",
        "1B",
        "0x10",
        "1_000",
        "1,000",
        "1.2.3",
        "++1",
        "1Gi2",
        "NaN",
        "Infinity",
        "١",
        "99999999999999999999999999999999999999999999999999999999999999999"
      })
  void refusesWhatIsNoQuantity(String text) {
    assertEquals(OptionalLong.empty(), Quantity.wholeNumber(text));
  }
}
