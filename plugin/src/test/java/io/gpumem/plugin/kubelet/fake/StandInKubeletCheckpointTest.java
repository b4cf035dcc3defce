package io.gpumem.plugin.kubelet.fake;

import static io.gpumem.plugin.kubelet.fake.Rig.RESOURCE;
import static io.gpumem.plugin.kubelet.fake.Rig.device;
import static io.gpumem.plugin.kubelet.fake.Rig.podOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class StandInKubeletCheckpointTest {
  @TempDir Path root;

  @Test
  void writesTheKubeletsShapeForEachAllocation() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(1);
      plugin.publish(List.of(device(0, "Healthy", 0, 1), device(1, "Healthy")));
      assertTrue(rig.kubelet.awaitAllocatable(RESOURCE, 2, Rig.LIMIT));
      rig.running(podOf("a", 2));

      JsonNode data = read(rig).path("Data");

      JsonNode entry = data.path("PodDeviceEntries").path(0);
      assertEquals("uid-a", entry.path("PodUID").asString());
      assertEquals("main", entry.path("ContainerName").asString());
      assertEquals(RESOURCE, entry.path("ResourceName").asString());
      assertEquals("[\"d00\"]", entry.path("DeviceIDs").path("0").toString());
      assertEquals("[\"d00\"]", entry.path("DeviceIDs").path("1").toString());
      assertEquals("[\"d01\"]", entry.path("DeviceIDs").path("-1").toString());
      assertEquals(
          "d00,d01",
          ContainerAllocateResponse.parseFrom(
                  Base64.getDecoder().decode(entry.path("AllocResp").asString()))
              .getEnvsOrThrow("IDS"));
      assertEquals(2, data.path("RegisteredDevices").path(RESOURCE).size());
    }
  }

  @Test
  void writesForEachListMessage() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(3);

      assertEquals(3, read(rig).path("Data").path("RegisteredDevices").path(RESOURCE).size());
    }
  }

  @Test
  void writesNoFileButTheCheckpoint() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(3);
      rig.running(podOf("a", 1));
      try (var files = Files.list(rig.kubelet.settings().devicePlugins())) {
        assertEquals(
            List.of(rig.kubelet.settings().checkpoint()),
            files.filter(Files::isRegularFile).toList());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{\"Data\":{},\"Checksum\":1}",
        "{\"Data\":{\"PodDeviceEntries\":[],\"RegisteredDevices\":{}}}"
      })
  void takesWhatItDidNotWriteForCorrupt(String text) throws Exception {
    Path file = Files.writeString(root.resolve("checkpoint"), text);

    assertInstanceOf(CheckpointFile.Content.Corrupt.class, new CheckpointFile(file).read());
  }

  @Test
  void noticesOneChangedCharacter() throws Exception {
    Path file = root.resolve("checkpoint");
    CheckpointFile checkpoint = new CheckpointFile(file);
    try (Rig rig = Rig.strict(root.resolve("k"))) {
      rig.plugin(3);
      rig.running(podOf("a", 1));
      Files.copy(rig.kubelet.settings().checkpoint(), file);
    }
    assertInstanceOf(CheckpointFile.Content.Read.class, checkpoint.read());

    Files.writeString(file, Files.readString(file).replaceFirst("d00", "d01"));

    assertInstanceOf(CheckpointFile.Content.Corrupt.class, checkpoint.read());
  }

  private static JsonNode read(Rig rig) throws Exception {
    return JsonMapper.shared().readTree(Files.readString(rig.kubelet.settings().checkpoint()));
  }
}
