package io.gpumem.plugin.kubelet.fake;

import static io.gpumem.plugin.kubelet.fake.Rig.RESOURCE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.RegisterRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StandInKubeletRegistrationTest {
  @TempDir Path root;

  @Test
  void dialsThePluginBackInsideRegister() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(2);

      assertTrue(plugin.askedOptionsWhileRegistering);
      assertEquals(1, rig.kubelet.calls(KubeletCall.Method.REGISTER).size());
    }
  }

  @Test
  void refusesAnotherVersion() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.unregistered(1);

      Status status = refusal(plugin, plugin.request().setVersion("v1").build());

      assertEquals(Status.Code.UNKNOWN, status.getCode());
      assertTrue(
          String.valueOf(status.getDescription())
              .startsWith("requested API version \"v1\" is not supported by kubelet"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gpu-mem",
        "kubernetes.io/gpu-mem",
        "x.kubernetes.io/gpu-mem",
        "requests.example.com/gpu-mem",
        "example.com/",
        "example.com/-gpu",
        "Example.com/gpu",
        "example.com/a/b"
      })
  void refusesNameThatIsNoExtendedResource(String name) throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.unregistered(1);

      Status status = refusal(plugin, plugin.request().setResourceName(name).build());

      assertEquals("the ResourceName \"" + name + "\" is invalid", status.getDescription());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "..", "../tiny.sock", "/tmp/tiny.sock", "sub/tiny.sock"})
  void refusesEndpointThatIsNoBareFileName(String endpoint) throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.unregistered(1);

      Status status = refusal(plugin, plugin.request().setEndpoint(endpoint).build());

      assertEquals(
          "expected a bare file name but was \"" + endpoint + "\"", status.getDescription());
    }
  }

  @Test
  void failsRegisterWhenNobodyServesTheEndpoint() throws Exception {
    KubeletSettings settings = KubeletSettings.at(root).withDialTimeout(Duration.ofMillis(100));
    try (Rig rig = new Rig(settings)) {
      TinyPlugin plugin = rig.unregistered(1);

      Status status = refusal(plugin, plugin.request().setEndpoint("absent.sock").build());

      assertTrue(
          String.valueOf(status.getDescription()).startsWith("failed to dial device plugin"));
      assertEquals(0, rig.kubelet.openStreams());
    }
  }

  @Test
  void answersUnavailableAsOftenAsTold() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.unregistered(3);
      rig.kubelet.faults().refuseRegister(2);

      assertEquals(Status.Code.UNAVAILABLE, refusal(plugin, plugin.request().build()).getCode());
      assertEquals(Status.Code.UNAVAILABLE, refusal(plugin, plugin.request().build()).getCode());
      plugin.register();

      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 3, Rig.LIMIT));
    }
  }

  @Test
  void takesTheOptionsFromTheCallNotFromTheRequest() throws Exception {
    try (Rig rig = Rig.lenient(root)) {
      TinyPlugin plugin = rig.unregistered(3);
      plugin.register(
          plugin.request().setOptions(DevicePluginOptions.getDefaultInstance()).build());
      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 3, Rig.LIMIT));

      rig.running(Rig.podOf("a", 1));

      assertEquals(1, rig.kubelet.calls(KubeletCall.Method.GET_PREFERRED_ALLOCATION).size());
      assertEquals(
          List.of("Register told other options than GetDevicePluginOptions"),
          rig.kubelet.violations());
    }
  }

  @Test
  void lastRegistrationWins() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin old = rig.plugin(2);
      old.allocate =
          _ -> {
            throw TinyPlugin.refusal("the old one was asked");
          };
      rig.plugin(4);

      rig.running(Rig.podOf("a", 4));
    }
  }

  @Test
  void deletesEverySocketAtStartAndNothingElse() throws Exception {
    Path directory = Files.createDirectories(root.resolve("device-plugins"));
    Path file = Files.writeString(directory.resolve("state"), "kept");
    Path folder = Files.createDirectory(directory.resolve("folder.sock"));
    Path socket = directory.resolve("stale.sock");
    try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.bind(UnixDomainSocketAddress.of(socket));
    }
    assertTrue(Files.exists(socket), "the socket file outlives its server");

    try (Rig _ = Rig.strict(root)) {
      assertFalse(Files.exists(socket));
      assertTrue(Files.exists(file));
      assertTrue(Files.exists(folder));
    }
  }

  private static Status refusal(TinyPlugin plugin, RegisterRequest request) {
    return assertThrows(StatusRuntimeException.class, () -> plugin.register(request)).getStatus();
  }
}
