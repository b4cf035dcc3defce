package io.gpumem.core.units;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Kubernetes resource quantity read as a whole number of units. Kubernetes allows every legal
 * spelling for an extended resource as long as the value is whole: {@code 16}, {@code 2Ki} (2048
 * units!), {@code 1e3}, {@code 3000m}.
 *
 * <p>Source: apimachinery pkg/api/resource, and ValidateResourceQuantityValue for wholeness.
 */
public final class Quantity {

  /** Longer texts cannot come from the API server, which stores quantities in canonical form. */
  private static final int LONGEST = 64;

  private static final Pattern FORM =
      Pattern.compile(
          "\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,3}|[KMGTPE]i|[numkMGTPE])?");
  private static final Pattern EXPONENT = Pattern.compile("[eE][+-]?[0-9]+");

  private static final Map<String, BigDecimal> FACTORS =
      Map.ofEntries(
          Map.entry("n", BigDecimal.ONE.movePointLeft(9)),
          Map.entry("u", BigDecimal.ONE.movePointLeft(6)),
          Map.entry("m", BigDecimal.ONE.movePointLeft(3)),
          Map.entry("", BigDecimal.ONE),
          Map.entry("k", BigDecimal.ONE.movePointRight(3)),
          Map.entry("M", BigDecimal.ONE.movePointRight(6)),
          Map.entry("G", BigDecimal.ONE.movePointRight(9)),
          Map.entry("T", BigDecimal.ONE.movePointRight(12)),
          Map.entry("P", BigDecimal.ONE.movePointRight(15)),
          Map.entry("E", BigDecimal.ONE.movePointRight(18)),
          Map.entry("Ki", binary(10)),
          Map.entry("Mi", binary(20)),
          Map.entry("Gi", binary(30)),
          Map.entry("Ti", binary(40)),
          Map.entry("Pi", binary(50)),
          Map.entry("Ei", binary(60)));

  private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);

  private Quantity() {}

  private static BigDecimal binary(int bits) {
    return new BigDecimal(BigInteger.ONE.shiftLeft(bits));
  }

  /**
   * The whole number that the text stands for, at most {@link Long#MAX_VALUE}; empty when it is no
   * quantity, negative or not whole.
   */
  public static OptionalLong wholeNumber(String text) {
    Matcher form = FORM.matcher(text);
    if (text.length() > LONGEST || !form.matches()) {
      return OptionalLong.empty();
    }
    String suffix = form.group(2) == null ? "" : form.group(2);
    BigDecimal value = new BigDecimal(form.group(1));
    if (EXPONENT.matcher(suffix).matches()) {
      value = value.scaleByPowerOfTen(Integer.parseInt(suffix.substring(1)));
    } else {
      BigDecimal factor = FACTORS.get(suffix);
      if (factor == null) {
        return OptionalLong.empty();
      }
      value = value.multiply(factor);
    }
    if (value.stripTrailingZeros().scale() > 0) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(value.min(LARGEST).longValueExact());
  }
}
