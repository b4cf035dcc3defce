package io.gpumem.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.Wish;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WishCodecTest {

  private static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);

  private static Decoded<Wish> decode(String... pairs) {
    return WishCodec.decode(
        KEYS,
        pairs.length == 2
            ? Map.of(pairs[0], pairs[1])
            : Map.of(pairs[0], pairs[1], pairs[2], pairs[3], pairs[4], pairs[5]));
  }

  @Test
  void noKeyIsNoWish() {
    assertEquals(Decoded.absent(), decode("example.com/other.policy", "spread"));
  }

  @Test
  void readsAllThreeKeys() {
    assertEquals(
        Decoded.ok(
            new Wish(
                Optional.of(Policy.SPREAD),
                new DeviceChoice(2, Set.of("NVIDIA H200", "NVIDIA L4")))),
        decode(
            KEYS.policy(), " spread ",
            KEYS.deviceCount(), "2",
            KEYS.model(), " NVIDIA H200, ,NVIDIA L4,"));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "' 8 ', 8", "007, 7", "128, 128"})
  void readsCounts(String text, int devices) {
    assertEquals(
        Decoded.ok(new Wish(Optional.empty(), new DeviceChoice(devices, Set.of()))),
        decode(KEYS.deviceCount(), text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "+1", "129", "999", "4294967297", "1.0", "two", "2x", "٢"})
  void refusesOtherCounts(String text) {
    assertTrue(
        decode(KEYS.deviceCount(), text).problem().orElse("").startsWith(KEYS.deviceCount()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Spread", "pack", "binpack,spread"})
  void refusesOtherPolicies(String text) {
    assertTrue(decode(KEYS.policy(), text).problem().orElse("").startsWith(KEYS.policy()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", ",", " , ,"})
  void refusesAListOfNoModels(String text) {
    assertTrue(decode(KEYS.model(), text).problem().orElse("").startsWith(KEYS.model()));
  }
}
