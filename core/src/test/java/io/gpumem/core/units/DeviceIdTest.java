package io.gpumem.core.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceIdTest {

  private static final String UUID = "GPU-5a1f0c9e-8d2b-4c7a-9e10-3b6f2d8c4a77";

  @Test
  void namesItsDeviceAndUnit() {
    DeviceId id = new DeviceId(new DeviceUuid(UUID), 138);
    assertEquals(UUID + "::138", id.toString());
    assertEquals(Optional.of(id), DeviceId.parse(UUID + "::138"));
  }

  @Test
  void readsMigDevices() {
    String mig = "MIG-0c9e5a1f-2b8d-7a4c-109e-8c4a773b6f2d";
    assertEquals(Optional.of(new DeviceId(new DeviceUuid(mig), 0)), DeviceId.parse(mig + "::0"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "::",
        "::0",
        "GPU-a",
        "GPU-a:0",
        "GPU-a::",
        "GPU-a::-1",
        "GPU-a::+1",
        "GPU-a::01",
        "GPU-a::1 ",
        "GPU-a::1x",
        "GPU-a::1::1",
        "GPU-a::1048576",
        "GPU-a::2147483648",
        "GPU-a::4294967296",
        "GPU-a::١",
        "GPU a::1",
        "GPU-a,b::1"
      })
  void readsNothingElse(String text) {
    assertEquals(Optional.empty(), DeviceId.parse(text));
  }

  @Test
  void readsBackEveryNameThatADeviceCanHave() {
    for (char c = 0; c < 256; c++) {
      for (String text : List.of("G" + c, c + "G", "G" + c + "G")) {
        if (DeviceUuid.isLegal(text)) {
          DeviceId id = new DeviceId(new DeviceUuid(text), 7);
          assertEquals(Optional.of(id), DeviceId.parse(id.toString()), text);
        }
      }
    }
  }

  @Test
  void refusesNumbersThatNoUnitHas() {
    DeviceUuid device = new DeviceUuid(UUID);
    assertThrows(IllegalArgumentException.class, () -> new DeviceId(device, -1));
    assertThrows(IllegalArgumentException.class, () -> new DeviceId(device, DeviceId.LARGEST + 1));
    assertEquals(
        Optional.of(new DeviceId(device, DeviceId.LARGEST)),
        DeviceId.parse(UUID + "::" + DeviceId.LARGEST));
  }

  @Test
  void sortsByDeviceThenNumberNotText() {
    List<String> sorted =
        Stream.of("GPU-b::0", "GPU-a::10", "GPU-a::9")
            .map(text -> DeviceId.parse(text).orElseThrow())
            .sorted()
            .map(DeviceId::toString)
            .toList();
    assertEquals(List.of("GPU-a::9", "GPU-a::10", "GPU-b::0"), sorted);
  }

  @Test
  void acceptsNamesAsLongAsNvmlWritesThem() {
    assertTrue(DeviceUuid.isLegal("G".repeat(96)));
    assertFalse(DeviceUuid.isLegal("G".repeat(97)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "GPU 1", "GPU\t1", "GPU-\"", "a,b", "a::b", "GPU-ü", "GPU-\u007f"})
  void refusesTextsThatNameNoDevice(String text) {
    assertThrows(IllegalArgumentException.class, () -> new DeviceUuid(text));
  }
}
