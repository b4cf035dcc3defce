package io.gpumem.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.world.Seeds;
import io.gpumem.core.world.World;
import io.gpumem.core.world.Worlds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is written is read back, and what was damaged gets an answer. */
class WireProperties {

  private static final String SEEDS = "io.gpumem.core.world.Seeds#many";

  /** Mutations of one golden text by one seed: 50 seeds of 100 of each of the four make 20,000. */
  private static final int MUTATIONS = 100;

  private static <T> T readBack(
      T value,
      Function<T, String> encode,
      Function<Optional<String>, Decoded<T>> decode,
      long seed) {
    String text = encode.apply(value);
    Decoded<T> read = decode.apply(Optional.of(text));
    assertEquals(Decoded.ok(value), read, () -> "seed " + seed + ": " + text);
    T back = read.understood().orElseThrow();
    assertEquals(text, encode.apply(back), () -> "seed " + seed);
    return back;
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void inventoriesAreReadBack(long seed) {
    Inventory inventory = new Worlds(seed).inventory();
    readBack(inventory, InventoryCodec::encode, InventoryCodec::decode, seed);
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void allocationsAreReadBack(long seed) {
    Allocations allocations = new Worlds(seed).world().node().allocations();
    readBack(allocations, AllocationsCodec::encode, AllocationsCodec::decode, seed);
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void reservationsAreReadBack(long seed) {
    for (PodFacts pod : new Worlds(seed).world().pods()) {
      pod.reservation()
          .understood()
          .ifPresent(
              plan -> readBack(plan, ReservationCodec::encode, ReservationCodec::decode, seed));
    }
  }

  /** The plugin computes from what it knows, the extender from what the plugin wrote. */
  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void bothSidesOfTheWireHaveTheSameBooks(long seed) {
    Worlds worlds = new Worlds(seed);
    World here = worlds.world();
    NodeFacts node = here.node();
    NodeFacts read =
        new NodeFacts(
            node.name(),
            readBack(node.inventory(), InventoryCodec::encode, InventoryCodec::decode, seed),
            node.cordoned(),
            readBack(node.allocations(), AllocationsCodec::encode, AllocationsCodec::decode, seed),
            node.ready());
    List<PodFacts> pods = new ArrayList<>();
    for (PodFacts pod : here.pods()) {
      pods.add(
          pod.reservation() instanceof Decoded.Ok<Reservation>(Reservation plan)
              ? withPlan(
                  pod, readBack(plan, ReservationCodec::encode, ReservationCodec::decode, seed))
              : pod);
    }
    World there = new World(read, pods).shuffled(worlds.random());
    assertEquals(here.books().ledger(), there.books().ledger(), "seed " + seed);
    assertEquals(here.books().discrepancies(), there.books().discrepancies(), "seed " + seed);
  }

  private static PodFacts withPlan(PodFacts pod, Reservation plan) {
    return new PodFacts(
        pod.uid(),
        pod.name(),
        pod.node(),
        pod.nominated(),
        pod.priority(),
        pod.createdMillis(),
        pod.demand(),
        pod.wish(),
        Decoded.ok(plan));
  }

  static LongStream fuzzSeeds() {
    Long only = Long.getLong("seed");
    return only == null ? LongStream.rangeClosed(1, 50) : LongStream.of(only);
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource("fuzzSeeds")
  void damagedTextsGetAnAnswer(long seed) {
    Random random = new Worlds(seed).random();
    for (int i = 0; i < MUTATIONS; i++) {
      answers("devices", random, InventoryCodec::decode, InventoryCodec::encode, seed);
      answers("allocations", random, AllocationsCodec::decode, AllocationsCodec::encode, seed);
      answers("reservation", random, ReservationCodec::decode, ReservationCodec::encode, seed);
      answers(
          "reservation-choice", random, ReservationCodec::decode, ReservationCodec::encode, seed);
    }
  }

  private static <T> void answers(
      String name,
      Random random,
      Function<Optional<String>, Decoded<T>> decode,
      Function<T, String> encode,
      long seed) {
    String text = Damage.to(Golden.text(name), random);
    switch (answer(text, decode, seed)) {
      case Decoded.Ok<T>(T value) -> readBack(value, encode, decode, seed);
      case Decoded.Malformed<T>(String why) ->
          assertTrue(
              why.length() > 8 && why.length() < 300 && !why.startsWith("null"),
              () -> "seed " + seed + ": \"" + why + "\" of " + text);
      case Decoded.Absent<T>() -> fail("seed " + seed + ": absent though there is " + text);
    }
  }

  private static <T> Decoded<T> answer(
      String text, Function<Optional<String>, Decoded<T>> decode, long seed) {
    try {
      return decode.apply(Optional.of(text));
    } catch (RuntimeException | StackOverflowError thrown) {
      return fail("seed " + seed + ": " + thrown + " of " + text, thrown);
    }
  }

  /** The fuzz says little if everything is refused at the first brace, or nothing is. */
  @Test
  void someDamageIsBorneAndSomeIsNot() {
    Random random = new Worlds(1).random();
    int borne = 0;
    int refused = 0;
    for (int i = 0; i < 1_000; i++) {
      String text = Damage.to(Golden.text("allocations"), random);
      boolean understood = AllocationsCodec.decode(Optional.of(text)).understood().isPresent();
      borne += understood ? 1 : 0;
      refused += understood ? 0 : 1;
    }
    assertTrue(borne > 100 && refused > 100, borne + " borne, " + refused + " refused");
  }
}
