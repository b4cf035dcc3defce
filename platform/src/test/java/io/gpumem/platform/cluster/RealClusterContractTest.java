package io.gpumem.platform.cluster;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * The same contract against a real API server, named by a kubeconfig in the environment. It makes
 * pods and nodes of its own, in the namespace {@code default}, and removes them.
 */
@EnabledIfEnvironmentVariable(named = RealClusterContractTest.KUBECONFIG, matches = ".+")
final class RealClusterContractTest extends ClusterContract {

  static final String KUBECONFIG = "GPUMEM_TEST_KUBECONFIG";

  @Override
  World world() {
    Path file = Path.of(Objects.requireNonNull(System.getenv(KUBECONFIG)));
    var client =
        new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(file.toFile())).build();
    String suffix = Long.toString(System.nanoTime(), Character.MAX_RADIX);
    return new KubeWorld(client, new ClusterSettings.Kubeconfig(file), suffix);
  }

  @Override
  void leave() {
    // The server is not ours.
  }
}
