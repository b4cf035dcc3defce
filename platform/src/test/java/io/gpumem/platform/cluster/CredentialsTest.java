package io.gpumem.platform.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.fabric8.kubernetes.client.Config;
import io.gpumem.platform.cluster.fake.StandInApiServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A token is replaced while we run: a service account's lives an hour. */
final class CredentialsTest {

  private static final Reading<Seen> ABSENT = new Reading.Absent<>();
  private static final String[] PROPERTIES = {
    Config.KUBERNETES_MASTER_SYSTEM_PROPERTY,
    Config.KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN_FILE_SYSTEM_PROPERTY,
    Config.KUBERNETES_AUTH_TRYKUBECONFIG_SYSTEM_PROPERTY,
    Config.KUBERNETES_SERVICE_HOST_PROPERTY,
    Config.KUBERNETES_SERVICE_PORT_PROPERTY
  };

  @TempDir Path folder;
  private final StandInApiServer server = StandInApiServer.start();

  @AfterEach
  void close() {
    for (String property : PROPERTIES) {
      System.clearProperty(property);
    }
    server.close();
  }

  @Test
  void readsTheServiceAccountsTokenAgainWhenItIsRefused() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "first");
    System.setProperty(Config.KUBERNETES_MASTER_SYSTEM_PROPERTY, server.url());
    System.setProperty(
        Config.KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN_FILE_SYSTEM_PROPERTY, token.toString());
    System.setProperty(Config.KUBERNETES_AUTH_TRYKUBECONFIG_SYSTEM_PROPERTY, "false");
    System.setProperty(Config.KUBERNETES_SERVICE_HOST_PROPERTY, "127.0.0.1");
    System.setProperty(Config.KUBERNETES_SERVICE_PORT_PROPERTY, server.url().replaceAll(".*:", ""));
    server.requireToken("first");
    try (KubeCluster cluster = connect(new ClusterSettings.Ambient())) {
      assertEquals(ABSENT, cluster.readNode("n1", Seen.node()));
      Files.writeString(token, "second");
      server.requireToken("second");
      assertEquals(ABSENT, cluster.readNode("n1", Seen.node()));
    }
  }

  @Test
  void readsTheKubeconfigAgainWhenItsTokenIsRefused() throws Exception {
    Path file = Files.writeString(folder.resolve("config"), kubeconfig("first"));
    server.requireToken("first");
    try (KubeCluster cluster = connect(new ClusterSettings.Kubeconfig(file))) {
      assertEquals(ABSENT, cluster.readNode("n1", Seen.node()));
      Files.writeString(file, kubeconfig("second"));
      server.requireToken("second");
      assertEquals(ABSENT, cluster.readNode("n1", Seen.node()));
    }
  }

  @Test
  void saysThatItIsNobody() {
    server.requireToken("first");
    try (KubeCluster cluster = connect(new ClusterSettings.Url(server.url()))) {
      assertInstanceOf(Reading.Unread.class, cluster.readNode("n1", Seen.node()));
      assertEquals(
          new BindOutcome.Refused(401, "Unauthorized"),
          cluster.bind(new PodRef("default", "pod", "u"), "n1", Map.of(), Duration.ofSeconds(5)));
    }
  }

  private String kubeconfig(String token) {
    return server.kubeconfig().replace("user: {}", "user: {token: \"" + token + "\"}");
  }

  private static KubeCluster connect(ClusterSettings.Access access) {
    return KubeCluster.connect(
        ClusterSettings.of(access, "gpu-mem-test").withPatience(ClusterContract.QUICK));
  }
}
