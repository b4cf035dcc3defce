package io.gpumem.demo.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

final class DevPlanTest {

  private static final List<String> ANSWER =
      List.of("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia3");

  @Test
  void holdsTheNodesOfTheAnswerInItsOrder() {
    assertEquals(ANSWER, DevPlan.of(ANSWER.stream().map(DevPlanTest::usual).toList()).nodes());
  }

  @Test
  void refusesANodeThatIsCalledOtherwiseInside() {
    var moved = List.of(new DevPlan.Node("/dev/nvidia3", "/dev/nvidia0", "rw"));
    assertThrows(IllegalArgumentException.class, () -> DevPlan.of(moved));
  }

  @Test
  void refusesANodeThatMayNotBeWritten() {
    var readOnly = List.of(new DevPlan.Node("/dev/nvidia3", "/dev/nvidia3", "r"));
    assertThrows(IllegalArgumentException.class, () -> DevPlan.of(readOnly));
  }

  @Test
  void tellsGpusFromTheDriversCommonNodes() {
    DevPlan plan =
        new DevPlan(
            List.of("/dev/nvidia-modeset", "/dev/nvidia10", "/dev/nvidia0", "/dev/nvidiactl"));
    assertEquals(List.of("/dev/nvidia10", "/dev/nvidia0"), plan.gpus());
    assertEquals(List.of("/dev/nvidia-modeset", "/dev/nvidiactl"), plan.withoutGpus().nodes());
  }

  @Test
  void putsTheProgramBehindTheNodes() {
    assertEquals(
        List.of("private-dev", "/dev/nvidiactl", "/dev/nvidia0", "--", "cuda-probe", "--", "x"),
        new DevPlan(List.of("/dev/nvidiactl", "/dev/nvidia0"))
            .command("private-dev", List.of("cuda-probe", "--", "x")));
  }

  private static DevPlan.Node usual(String path) {
    return new DevPlan.Node(path, path, "rw");
  }
}
