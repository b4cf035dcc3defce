package io.gpumem.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts of other versions, broken and forged ones get an answer that says what is wrong. */
class MalformedTest {

  private static final Map<String, Function<Optional<String>, Decoded<?>>> CODECS =
      Map.of(
          "devices", InventoryCodec::decode,
          "allocations", AllocationsCodec::decode,
          "reservation", ReservationCodec::decode,
          "reservation-choice", ReservationCodec::decode);

  private static final List<String> NAMES = CODECS.keySet().stream().sorted().toList();

  private static Decoded<?> decode(String name, String text) {
    return Optional.ofNullable(CODECS.get(name)).orElseThrow().apply(Optional.of(text));
  }

  private static String refused(String name, String text) {
    String why = decode(name, text).problem().orElseGet(() -> fail("understood: " + text));
    assertTrue(why.length() < 300, "too long for a log line: " + why.length());
    return why;
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void noTextIsAbsentNotMalformed(String name) {
    Decoded<?> absent = Optional.ofNullable(CODECS.get(name)).orElseThrow().apply(Optional.empty());
    assertEquals(Decoded.absent(), absent);
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void unknownFieldsAreIgnored(String name) {
    String golden = Golden.text(name);
    String more = golden.replaceFirst("\\{", "{\"later\":[{\"x\":null}],\"Later\":1.5,");
    assertEquals(decode(name, golden), decode(name, more));
  }

  @Test
  void unknownFieldsInsideAreIgnored() {
    String devices = Golden.text("devices");
    assertEquals(
        decode("devices", devices),
        decode("devices", devices.replace("\"index\":", "\"temperature\":41,\"index\":")));
    String allocations = Golden.text("allocations");
    assertEquals(
        decode("allocations", allocations),
        decode("allocations", allocations.replace("\"pod\":", "\"since\":\"now\",\"pod\":")));
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void otherVersionsAreRefusedByName(String name) {
    for (String version : List.of("2", "0", "-1", "1.0", "\"1\"", "null", "4294967297")) {
      String other = Golden.text(name).replace("\"v\":1,", "\"v\":" + version + ",");
      assertEquals("expected \"v\":1", refused(name, other));
    }
    assertEquals("expected \"v\":1", refused(name, "{}"));
    assertEquals("expected \"v\":1", refused(name, Golden.text(name).replace("\"v\":1,", "")));
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void everyBeginningOfATextIsRefused(String name) {
    String golden = Golden.text(name);
    for (int end = 0; end < golden.length(); end++) {
      String why = refused(name, golden.substring(0, end));
      assertTrue(why.contains("unexpected end") || why.contains("expected a value"), why);
    }
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void textAfterTheEndIsRefused(String name) {
    String golden = Golden.text(name);
    assertTrue(refused(name, golden + "x").startsWith("expected the end at character"));
    assertTrue(refused(name, golden + golden).startsWith("expected the end at character"));
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void keysThatComeTwiceAreRefused(String name) {
    String twice = Golden.text(name).replaceFirst("\\{", "{\"v\":1,");
    assertTrue(refused(name, twice).startsWith("key \"v\" twice"));
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void otherValuesThanObjectsAreRefused(String name) {
    for (String other : List.of("[]", "1", "null", "\"x\"", "true")) {
      assertEquals("expected an object", refused(name, other));
    }
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void deepAndHugeTextsAreRefused(String name) {
    String deep = "[".repeat(50_000);
    assertTrue(refused(name, "{\"v\":1,\"x\":" + deep).startsWith("deeper than 32 levels"));
    String huge = "{\"v\":1,\"x\":\"" + "y".repeat(2_000_000) + "\"}";
    assertEquals("longer than 1048576 characters", refused(name, huge));
  }

  @Test
  void aRefusalIsShortHoweverLongTheText() {
    String name = "x".repeat(500_000);
    String key = "\"" + name + "\":1";
    refused("devices", "{\"v\":1," + key + "," + key + "}");
    refused("devices", Golden.text("devices").replace(Golden.FIRST.text(), name));
    refused("allocations", Golden.text("allocations").replace("team-a/train-0", name));
    refused("reservation", Golden.text("reservation").replace(Golden.FIRST.text(), name));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "\"index\":0 | \"index\":-1 | \"index\"",
        "\"index\":0 | \"index\":2147483648 | \"index\"",
        "\"index\":0 | \"index\":\"0\" | \"index\"",
        "\"index\":0 | \"index\":1 | index 1 twice",
        "\"units\":16 | \"units\":-16 | \"units\"",
        "\"units\":16 | \"units\":4294967297 | \"units\"",
        "\"units\":16 | \"units\":1.5 | \"units\"",
        "\"units\":16, |  | \"units\"",
        "\"unit\":\"1Gi\" | \"unit\":\"0Gi\" | unit larger than zero",
        "\"unit\":\"1Gi\" | \"unit\":\"1G\" | \"unit\"",
        "\"unit\":\"1Gi\" | \"unit\":1 | \"unit\"",
        "\"memory\":\"16384Mi\" | \"memory\":\"-16384Mi\" | \"memory\"",
        "\"usable\":\"16384Mi\", |  | \"usable\"",
        "\"devices\": | \"gadgets\": | \"devices\"",
        "\"id\":\"MIG-0c9e5a1f-2b8d-5a4c-909e-8c4a773b6f2d\", |  | \"id\"",
        "MIG-0c9e5a1f-2b8d-5a4c-909e-8c4a773b6f2d | a::b | device UUID",
        "MIG-0c9e5a1f-2b8d-5a4c-909e-8c4a773b6f2d | GPU-5a1f0c9e-8d2b-4c7a-9e10-3b6f2d8c4a77 |"
            + " twice"
      })
  void brokenInventoriesAreRefused(String golden, String broken, String why) {
    refusedBecause("devices", golden, broken, why);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "\"pods\": | \"pod\": | \"pods\"",
        "\"pod\":\"team-a/train-0\", |  | \"pod\"",
        "team-a/train-0 | train-0 | namespace/name",
        "\"containers\":{} | \"containers\":[] | \"containers\"",
        ",\"containers\":{} |  | \"containers\"",
        "\"init\":{ | \"init\":[{ | character",
        "{\"main\":{\"GPU-e10c9e5a-7a4c-4d2b-9f1a-8d2b3b6f2d8c\":4}} | {\"main\":7} | devices",
        ":4} | :0} | above zero",
        ":4} | :-4} | above zero",
        ":4} | :9223372036854775808} | above zero",
        ":6} | :1.5} | above zero",
        "team-c/nobody-knows | nobody-knows | namespace/name",
        "\"0b6c1c52-3f0e-4a39-8f6e-6d1f6b0a2c11\" | \"\" | pod UID"
      })
  void brokenAllocationsAreRefused(String golden, String broken, String why) {
    refusedBecause("allocations", golden, broken, why);
  }

  @Test
  void wordsOfOtherKindsInAllocationsAreRefused() {
    String pod = "{\"v\":1,\"pods\":{\"u\":{\"pod\":\"a/b\",\"containers\":{}%s}}%s}";
    assertTrue(decode("allocations", pod.formatted("", "")).problem().isEmpty());
    assertTrue(refused("allocations", pod.formatted(",\"init\":3", "")).contains("\"init\""));
    assertTrue(refused("allocations", pod.formatted("", ",\"names\":[]")).contains("\"names\""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "\"uid\": | \"UID\": | \"uid\"",
        "\"node\":\"n1\" | \"node\":\"\" | node name",
        "\"node\":\"n1\", |  | \"node\"",
        "\"devices\":2 | \"devices\":0 | \"devices\"",
        "\"devices\":2 | \"devices\":129 | \"devices\"",
        "\"devices\":2 | \"devices\":\"2\" | \"devices\"",
        "\"devices\":2 | \"devices\":4294967298 | \"devices\"",
        "\"models\":[\"NVIDIA H100 80GB HBM3\" | \"models\":[7 | \"models\"",
        "\"models\":[\"NVIDIA H100 80GB HBM3\",\"NVIDIA H200\"] | \"models\":\"any\" | \"models\"",
        "\"containers\": | \"boxes\": | \"containers\"",
        ":40} | :0} | above zero"
      })
  void brokenReservationsAreRefused(String golden, String broken, String why) {
    refusedBecause("reservation-choice", golden, broken, why);
  }

  private static void refusedBecause(String name, String golden, String broken, String why) {
    String text = Golden.text(name).replace(golden, Optional.ofNullable(broken).orElse(""));
    assertTrue(!text.equals(Golden.text(name)), "the golden text has no " + golden);
    String message = refused(name, text);
    assertTrue(message.contains(why), message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "4294967296", "1.5", "\"0\"", "null"})
  void odditiesForNumaAreUnknownNotCutToANode(String numa) {
    String text = Golden.text("devices").replace("\"numa\":0", "\"numa\":" + numa);
    Decoded<Inventory> read = InventoryCodec.decode(Optional.of(text));
    Device first = read.understood().orElseThrow().devices().getFirst();
    assertEquals(OptionalInt.empty(), first.numa());
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"healthy\"", "\"\"", "true", "null"})
  void everyOtherHealthThanTheGoodWordIsBad(String health) {
    String text = Golden.text("devices").replace("\"health\":\"Healthy\"", "\"health\":" + health);
    Decoded<Inventory> read = InventoryCodec.decode(Optional.of(text));
    Device first = read.understood().orElseThrow().devices().getFirst();
    assertEquals(new Health.Unhealthy("unknown"), first.health());
  }

  @Test
  void aPodWithABrokenEntryIsNotTakenForOneThatHoldsNothing() {
    String text = "{\"v\":1,\"pods\":{\"u\":{\"pod\":\"a/b\"}}}";
    Decoded<Allocations> read = AllocationsCodec.decode(Optional.of(text));
    assertTrue(
        read.understood().stream()
            .flatMap(allocations -> allocations.pods().values().stream())
            .noneMatch(PodAllocation::holdsNothing));
    assertTrue(read.problem().isPresent());
  }
}
