package io.gpumem.demo.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SightTest {

  private static final String UUID = "GPU-84f45868-a851-afa4-2218-058de4ec8067";

  /** As printed on an H200 with driver 580.159.04. */
  private static final String H200 =
      "device=0 uuid=" + UUID + " total=150109880320 taken=67108864 name=NVIDIA H200";

  @Test
  void readsWhatARealGpuGave() {
    var gpu = new Sight.Gpu(UUID, 150109880320L, 67108864, "NVIDIA H200");
    assertEquals(
        Optional.of(new Sight(0, 13000, List.of(gpu))),
        Sight.parse(List.of("init=0 driver=13000 devices=1", H200)));
  }

  @Test
  void readsThatThereIsNoGpu() {
    assertEquals(
        Optional.of(new Sight(100, 13000, List.of())),
        Sight.parse(List.of("init=100 driver=13000 devices=0")));
  }

  @Test
  void refusesFewerOrMoreDevicesThanAnnounced() {
    assertEquals(Optional.empty(), Sight.parse(List.of("init=0 driver=13000 devices=2", H200)));
    assertEquals(Optional.empty(), Sight.parse(List.of("init=0 driver=13000 devices=0", H200)));
  }

  @Test
  void refusesOutputThatEndedBeforeTheFirstLine() {
    assertEquals(Optional.empty(), Sight.parse(List.of()));
    assertEquals(Optional.empty(), Sight.parse(List.of("cuda-probe: no libcuda.so.1", H200)));
  }

  @Test
  void seeingAloneIsNotUsing() {
    var gpu = new Sight.Gpu(UUID, 150109880320L, 0, "NVIDIA H200");
    assertFalse(new Sight(0, 13000, List.of(gpu)).isUsed());
  }

  @Test
  void seeingNothingIsNotUsing() {
    assertFalse(new Sight(100, 13000, List.of()).isUsed());
  }
}
