package io.gpumem.core.demand;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DemandTest {

  /** Containers in spec order: i is an ordinary init container, s a sidecar, a an app container. */
  private static Demand demand(String text) {
    List<ContainerDemand> containers = new ArrayList<>();
    for (String word : text.isBlank() ? new String[0] : text.strip().split(" +", -1)) {
      Phase phase =
          switch (word.charAt(0)) {
            case 'i' -> Phase.INIT;
            case 's' -> Phase.SIDECAR;
            default -> Phase.APP;
          };
      long units = Long.parseLong(word.substring(1));
      containers.add(new ContainerDemand("c" + containers.size(), phase, units));
    }
    return new Demand(containers);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "i10 i10 i10 a4, 10",
    "s4 a4, 8",
    "s2 i5 a3, 7",
    "a3 a3, 6",
    "i12, 12",
    "i8 a4 a4, 8",
    "i2 a4 a6, 10",
    "s3 i5 a4, 8",
    "i6, 6",
    "a4, 4",
    "'', 0"
  })
  void footprintIsThePeakOverThePhases(String containers, long footprint) {
    assertEquals(footprint, demand(containers).footprint());
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    // A sidecar counts for the init containers after it, not for those before.
    "i5 s3 a1, 5",
    "s3 i5 a1, 8",
    "i5 s3 s3 a1, 7",
    "s1 i5 s4 i3 a2, 8",
    "s1 s2 s3, 6",
    "s1 i9 s1 a1, 10"
  })
  void footprintDependsOnTheOrderInTheSpec(String containers, long footprint) {
    assertEquals(footprint, demand(containers).footprint());
  }

  @ParameterizedTest(name = "{0} -> main {1}, surplus {2}")
  @CsvSource({
    "i10 a4, 4, 6",
    "i4 a8, 8, 0",
    "s3 i5 a4, 7, 1",
    "i6, 0, 6",
    "s4 a4, 8, 0",
    "'', 0, 0"
  })
  void initSurplusIsWhatTheMainPhaseDoesNotUse(String containers, long main, long surplus) {
    assertEquals(main, demand(containers).mainPhase());
    assertEquals(surplus, demand(containers).initSurplus());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a9223372036854775807 a1",
        "s9223372036854775807 i9223372036854775807 a9223372036854775807",
        "a4611686018427387904 a4611686018427387904",
        "i9223372036854775807 a1"
      })
  void footprintStopsAtTheLargestLongInsteadOfWrapping(String containers) {
    assertEquals(Long.MAX_VALUE, demand(containers).footprint());
    assertTrue(demand(containers).initSurplus() >= 0);
  }

  @Test
  void knowsOrdinaryInitContainers() {
    assertTrue(demand("i1 a1").hasOrdinaryInit());
    assertFalse(demand("s1 a1").hasOrdinaryInit());
    assertFalse(Demand.NONE.hasOrdinaryInit());
  }

  @Test
  void knowsEachContainersUnits() {
    Demand demand = demand("i2 a4");
    assertEquals(OptionalLong.of(2), demand.of("c0"));
    assertEquals(OptionalLong.of(4), demand.of("c1"));
    assertEquals(OptionalLong.empty(), demand.of("c2"));
  }

  @Test
  void refusesNonsense() {
    var one = new ContainerDemand("main", Phase.APP, 1);
    assertThrows(IllegalArgumentException.class, () -> new Demand(List.of(one, one)));
    assertThrows(IllegalArgumentException.class, () -> new ContainerDemand("main", Phase.APP, 0));
    assertThrows(IllegalArgumentException.class, () -> new ContainerDemand("main", Phase.APP, -1));
  }

  @Test
  void readsPolicies() {
    for (Policy policy : Policy.values()) {
      assertEquals(Optional.of(policy), Policy.parse(policy.toString()));
    }
    assertEquals(Optional.empty(), Policy.parse("Binpack"));
    assertEquals(Optional.empty(), Policy.parse(""));
  }
}
