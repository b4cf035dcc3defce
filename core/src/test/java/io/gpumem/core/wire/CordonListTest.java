package io.gpumem.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.world.Given;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CordonListTest {

  private static CordonList parse(String text) {
    return CordonList.parse(Optional.of(text), Given.gpus(16, 16, 16));
  }

  @Test
  void readsIndexesAndUuids() {
    CordonList list = parse("0, GPU-C");
    assertEquals(Set.of(Given.uuid("A"), Given.uuid("C")), list.devices());
    assertEquals(List.of(), list.unknown());
  }

  @Test
  void namesADeviceOnceHoweverItIsWritten() {
    assertEquals(Set.of(Given.uuid("B")), parse("1,GPU-B,1").devices());
  }

  @Test
  void tellsWordsThatMeanNoDeviceAndKeepsTheOthers() {
    CordonList list = parse("GPU-C,7,gpu-a,GPU-X, 01");
    assertEquals(Set.of(Given.uuid("C")), list.devices());
    assertEquals(List.of("7", "gpu-a", "GPU-X", "01"), list.unknown());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", ",", " , ,,"})
  void readsAListOfNothing(String text) {
    assertEquals(new CordonList(Set.of(), List.of()), parse(text));
  }

  @Test
  void noTextIsAListOfNothing() {
    assertEquals(
        new CordonList(Set.of(), List.of()), CordonList.parse(Optional.empty(), Given.gpus(16)));
  }

  @Test
  void readsTheDisplayIndexNotThePlaceInTheList() {
    var inventory = Given.inventory(Given.gpu("A", 3, 16), Given.gpu("B", 5, 16));
    CordonList list = CordonList.parse(Optional.of("5,0"), inventory);
    assertEquals(Set.of(Given.uuid("B")), list.devices());
    assertEquals(List.of("0"), list.unknown());
  }
}
