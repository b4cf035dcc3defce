package io.gpumem.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Wish;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What is written is the golden texts to the byte; what is read from them is what was meant. */
class GoldenTest {

  private static final List<String> NAMES = Golden.NAMES;

  @Test
  void inventoryIsWrittenAndReadAsDocumented() {
    assertEquals(Golden.text("devices"), InventoryCodec.encode(Golden.inventory()));
    assertEquals(
        Decoded.ok(Golden.inventory()), InventoryCodec.decode(Optional.of(Golden.text("devices"))));
  }

  @Test
  void allocationsAreWrittenAndReadAsDocumented() {
    assertEquals(Golden.text("allocations"), AllocationsCodec.encode(Golden.allocations()));
    assertEquals(
        Decoded.ok(Golden.allocations()),
        AllocationsCodec.decode(Optional.of(Golden.text("allocations"))));
  }

  @Test
  void reservationsAreWrittenAndReadAsDocumented() {
    assertEquals(Golden.text("reservation"), ReservationCodec.encode(Golden.reservation()));
    assertEquals(
        Decoded.ok(Golden.reservation()),
        ReservationCodec.decode(Optional.of(Golden.text("reservation"))));
  }

  @Test
  void reservationsWithAChoiceAreWrittenAndReadAsDocumented() {
    String golden = Golden.text("reservation-choice");
    assertEquals(golden, ReservationCodec.encode(Golden.reservationWithChoice()));
    assertEquals(
        Decoded.ok(Golden.reservationWithChoice()), ReservationCodec.decode(Optional.of(golden)));
  }

  @Test
  void summaryIsWrittenAsDocumented() {
    var node =
        new NodeFacts(
            new NodeName("n1"),
            Golden.inventory(),
            Set.of(Golden.SLICE),
            Golden.allocations(),
            true);
    List<PodFacts> pods = new ArrayList<>();
    Golden.allocations().pods().forEach((uid, pod) -> pods.add(holder(uid, pod)));
    assertEquals(Golden.text("summary"), Summary.of(NodeBooks.of(node, pods).ledger()));
  }

  /** A live pod that asks just what the golden allocations say it holds. */
  private static PodFacts holder(PodUid uid, PodAllocation pod) {
    List<ContainerDemand> containers = new ArrayList<>();
    pod.init().values().forEach(u -> containers.add(new ContainerDemand("i", Phase.INIT, 10)));
    pod.containers()
        .forEach(
            (name, devices) -> {
              long units = devices.values().stream().mapToLong(Long::longValue).sum();
              containers.add(new ContainerDemand(name, Phase.APP, units));
            });
    if (containers.isEmpty()) {
      containers.add(new ContainerDemand("main", Phase.APP, 5));
    }
    Decoded<Wish> wish = Decoded.absent();
    Optional<NodeName> node = Optional.of(new NodeName("n1"));
    Optional<NodeName> nominated = Optional.empty();
    return new PodFacts(
        uid, pod.name(), node, nominated, 0, 0, new Demand(containers), wish, Decoded.absent());
  }

  @Test
  void labelsAreNamedAsDocumented() {
    Keys keys = new Keys(Keys.DEFAULT_RESOURCE);
    Inventory inventory = Golden.inventory();
    List<String> lines = new ArrayList<>();
    lines.add(keys.unitLabel() + "=" + inventory.unit());
    lines.add(keys.largestDeviceLabel() + "=" + inventory.largestDevice().orElseThrow());
    for (String model :
        List.of(
            "NVIDIA H200",
            "NVIDIA H200 MIG 1g.18gb",
            "NVIDIA H100 80GB HBM3",
            "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition")) {
      lines.add(keys.modelLabel(model) + "=true");
    }
    assertEquals(Golden.text("labels"), String.join("\n", lines));
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void goldenTextsAreInTheDocumentation(String name) throws IOException {
    assertTrue(page().contains(Golden.text(name)), name + ".golden is not in wire-formats.md");
  }

  @Test
  void everyKeyIsInTheDocumentation() throws IOException {
    Keys keys = new Keys(Keys.DEFAULT_RESOURCE);
    Map<String, String> documented =
        Map.of(
            keys.devices(), "`<resource>.devices`",
            keys.allocations(), "`<resource>.allocations`",
            keys.summary(), "`<resource>.summary`",
            keys.cordon(), "`<resource>.cordon`",
            keys.reservation(), "`<resource>.reservation`",
            keys.policy(), "`<resource>.policy`",
            keys.deviceCount(), "`<resource>.device-count`",
            keys.model(), "`<resource>.model`",
            keys.unitLabel(), "`<resource>.unit`",
            keys.largestDeviceLabel(), "`<resource>.largest-device`");
    for (Map.Entry<String, String> key : documented.entrySet()) {
      assertEquals(key.getKey(), unquoted(key.getValue()));
      assertTrue(page().contains(key.getValue()), key.getValue() + " is not in wire-formats.md");
    }
  }

  private static String unquoted(String key) {
    return key.replace("`", "").replace("<resource>", Keys.DEFAULT_RESOURCE);
  }

  /** Tests run in the module's folder. */
  private static String page() throws IOException {
    return Files.readString(Path.of("..", "docs", "wire-formats.md"));
  }
}
