package io.gpumem.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.PodReader.SpecContainer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodReaderTest {

  private static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);

  private static final PodReader.Identity POD =
      new PodReader.Identity(
          new PodUid("0b6c1c52-3f0e-4a39-8f6e-6d1f6b0a2c11"),
          new PodName("team-a", "train-0"),
          Optional.of(new NodeName("n1")),
          Optional.of(new NodeName("n2")),
          7,
          1_000);

  private static SpecContainer app(String name, String quantity) {
    return new SpecContainer(name, Phase.APP, Optional.of(quantity));
  }

  private static Decoded<PodFacts> read(SpecContainer... containers) {
    return new PodReader(KEYS).read(POD, Map.of(), List.of(containers));
  }

  @Test
  void keepsContainersThatAskInSpecOrder() {
    PodFacts pod =
        read(
                new SpecContainer("i", Phase.INIT, Optional.of("2")),
                new SpecContainer("s", Phase.SIDECAR, Optional.of("1")),
                new SpecContainer("proxy", Phase.APP, Optional.empty()),
                app("zero", "0"),
                app("main", "2Ki"))
            .understood()
            .orElseThrow();
    assertEquals(
        List.of(
            new ContainerDemand("i", Phase.INIT, 2),
            new ContainerDemand("s", Phase.SIDECAR, 1),
            new ContainerDemand("main", Phase.APP, 2048)),
        pod.demand().containers());
    assertEquals(POD.uid(), pod.uid());
    assertEquals(POD.name(), pod.name());
    assertEquals(POD.node(), pod.node());
    assertEquals(POD.nominated(), pod.nominated());
    assertEquals(7, pod.priority());
    assertEquals(1_000, pod.createdMillis());
    assertEquals(Decoded.absent(), pod.wish());
    assertEquals(Decoded.absent(), pod.reservation());
  }

  @Test
  void aRequestOfZeroIsNoRequest() {
    assertEquals(Decoded.absent(), read(app("main", "0"), app("other", "0m")));
    assertEquals(Decoded.absent(), read(new SpecContainer("main", Phase.APP, Optional.empty())));
    assertEquals(Decoded.absent(), read());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1500m", "-1", "", "many"})
  void tellsWhichContainersQuantityIsUnreadable(String quantity) {
    String why = read(app("good", "4"), app("bad", quantity)).problem().orElse("");
    assertTrue(why.contains("bad") && why.contains(KEYS.resource()), why);
  }

  @ParameterizedTest
  @CsvSource({
    "16, 16",
    "16Gi, 17179869184",
    "10G, 10000000000",
    "4294967297, 4294967297",
    "9223372036854775807, 9223372036854775807",
    "9223372036854775808, 9223372036854775807"
  })
  void largeQuantitiesStayLarge(String quantity, long units) {
    PodFacts pod = read(app("main", quantity)).understood().orElseThrow();
    assertEquals(units, pod.demand().footprint());
  }

  @Test
  void twoContainersOfOneNameAreMalformed() {
    assertTrue(read(app("main", "1"), app("main", "2")).problem().isPresent());
  }

  @Test
  void readsWishAndReservation() {
    Map<String, String> annotations =
        Map.of(KEYS.deviceCount(), "none", KEYS.reservation(), Golden.text("reservation"));
    PodFacts pod =
        new PodReader(KEYS)
            .read(POD, annotations, List.of(app("main", "1")))
            .understood()
            .orElseThrow();
    assertTrue(pod.wish().problem().isPresent());
    assertEquals(Decoded.ok(Golden.reservation()), pod.reservation());
  }
}
