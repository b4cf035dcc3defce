package io.gpumem.extender;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.wire.Keys;
import io.gpumem.platform.cluster.ClusterSettings;
import io.gpumem.platform.options.HostPort;
import io.gpumem.platform.options.Parsed;
import io.gpumem.platform.options.Values;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExtenderConfigTest {

  private static ExtenderConfig config(String... args) {
    return ExtenderConfig.from(
        assertInstanceOf(Values.class, ExtenderConfig.options().parse(List.of(args), Map.of())));
  }

  private static String problem(String... args) {
    return String.join(
        "\n",
        assertInstanceOf(
                Parsed.Problems.class, ExtenderConfig.options().parse(List.of(args), Map.of()))
            .sentences());
  }

  @Test
  void hasDefaultsThatWorkInAPod() {
    assertEquals(
        new ExtenderConfig(
            new Keys(Keys.DEFAULT_RESOURCE),
            new HostPort("", 9401),
            new ClusterSettings.Ambient(),
            Policy.BINPACK,
            Duration.ofSeconds(4),
            Duration.ofMinutes(1)),
        config());
  }

  @Test
  void readsEveryOption() {
    assertEquals(
        new ExtenderConfig(
            new Keys("gpu.example.org/mem"),
            new HostPort("127.0.0.1", 80),
            new ClusterSettings.Kubeconfig(Path.of("/etc/kube")),
            Policy.SPREAD,
            Duration.ofMillis(900),
            Duration.ofSeconds(5)),
        config(
            "--resource-name=gpu.example.org/mem",
            "--listen=127.0.0.1:80",
            "--kubeconfig=/etc/kube",
            "--policy=spread",
            "--bind-timeout=900ms",
            "--blind-limit=5s"));
    assertEquals(
        new ClusterSettings.Url("http://127.0.0.1:1"),
        config("--api-url=http://127.0.0.1:1").access());
  }

  @Test
  void refusesWhatItDoesNotKnowAndWhatDoesNotGoTogether() {
    assertTrue(problem("--polcy=spread").contains("--policy"));
    assertTrue(problem("--resource-name=gpu").contains("example.com/gpu-mem"));
    assertTrue(problem("--resource-name=kubernetes.io/x").contains("belongs to Kubernetes"));
    assertTrue(problem("--kubeconfig=a", "--api-url=b").contains("give one of them"));
  }
}
