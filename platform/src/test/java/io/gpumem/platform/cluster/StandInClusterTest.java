package io.gpumem.platform.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.gpumem.platform.cluster.fake.StandInApiServer;
import java.util.List;

/** The contract over HTTP against the stand-in. */
final class StandInClusterTest extends ClusterContract {

  private final StandInApiServer server = StandInApiServer.start();

  @Override
  World world() {
    var client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(server.kubeconfig()))
            .build();
    return new KubeWorld(client, new ClusterSettings.Url(server.url()), "t1");
  }

  @Override
  void leave() {
    assertEquals(List.of(), server.misuses());
    server.close();
  }
}
