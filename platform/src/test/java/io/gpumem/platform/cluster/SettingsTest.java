package io.gpumem.platform.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.gpumem.platform.cluster.ClusterSettings.Patience;
import io.gpumem.platform.cluster.fake.StandInApiServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SettingsTest {

  @Test
  void findsTheServerByAKubeconfig(@TempDir Path folder) throws Exception {
    try (StandInApiServer server = StandInApiServer.start()) {
      Path file = Files.writeString(folder.resolve("config"), server.kubeconfig());
      var settings = ClusterSettings.of(new ClusterSettings.Kubeconfig(file), "gpu-mem-test");
      try (KubeCluster cluster = KubeCluster.connect(settings)) {
        assertEquals(new Reading.Absent<>(), cluster.readNode("n1", Seen.node()));
      }
      assertTrue(server.requests().getFirst().userAgent().startsWith("gpu-mem-test"));
    }
  }

  @Test
  void refusesAKubeconfigThatIsNotThere(@TempDir Path folder) {
    var settings =
        ClusterSettings.of(new ClusterSettings.Kubeconfig(folder.resolve("absent")), "test");
    assertThrows(KubernetesClientException.class, () -> KubeCluster.connect(settings).close());
  }

  @Test
  void refusesNumbersThatMakeNoSense() {
    Duration second = Duration.ofSeconds(1);
    assertThrows(
        IllegalArgumentException.class,
        () -> new Patience(Duration.ZERO, second, second, second, second, second, 1));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Patience(second, second, second, second, second, Duration.ofMillis(1), 1));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Patience(second, second, second, second, second, second, 0));
  }

  @Test
  void doublesTheWaitsUpToTheLongestAndSpreadsThem() {
    long seed = 7;
    BackOff backOff =
        new BackOff(Duration.ofMillis(100), Duration.ofMillis(1000), new Random(seed));
    for (long whole : List.of(100, 200, 400, 800, 1000, 1000)) {
      long wait = backOff.next().toMillis();
      assertTrue(wait >= whole / 2 && wait <= whole, "seed " + seed + ": " + wait + " of " + whole);
    }
    backOff.reset();
    assertTrue(backOff.next().toMillis() <= 100);
  }
}
