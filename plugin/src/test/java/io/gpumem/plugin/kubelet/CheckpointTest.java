package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.PodUid;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CheckpointTest {

  private static final String RESOURCE = "example.com/gpu-mem";

  @TempDir Path directory;

  /** In the kubelet's own shape; a device of two NUMA nodes is named under both. */
  @Test
  void readsWhoHoldsWhichOfOurIds() throws Exception {
    write(
        """
        {"Data":{"PodDeviceEntries":[
          {"PodUID":"uid-1","ContainerName":"setup","ResourceName":"example.com/gpu-mem",
           "DeviceIDs":{"-1":["GPU-a::0","GPU-a::1"],"0":["GPU-a::1"]},"AllocResp":"CgAA"},
          {"PodUID":"uid-1","ContainerName":"main","ResourceName":"example.com/gpu-mem",
           "DeviceIDs":{"-1":["GPU-a::2"]},"AllocResp":""},
          {"PodUID":"uid-1","ContainerName":"main","ResourceName":"other.com/nic",
           "DeviceIDs":{"-1":["nic-0"]},"AllocResp":""}],
         "RegisteredDevices":{"example.com/gpu-mem":["GPU-a::0"]}},
         "Checksum":3456789}
        """);

    assertEquals(
        Map.of(
            new PodUid("uid-1"),
            Map.of(
                "setup", Set.of(id("GPU-a::0"), id("GPU-a::1")), "main", Set.of(id("GPU-a::2")))),
        read());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "null",
        "{\"Data\":null}",
        "{\"Data\":{\"PodDeviceEntries\":7}}",
        "{\"Data\":{\"PodDeviceEntries\":[7,null,{}]}}",
        "{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":\"\",\"ResourceName\":\"example.com/gpu-mem\"}]}}"
      })
  void takesNothingFromAFileThatIsNotTheKubelets(String text) throws Exception {
    write(text);

    assertEquals(Map.of(), read());
  }

  @Test
  void takesNoIdsThatAreNotOurs() throws Exception {
    write(
        """
        {"Data":{"PodDeviceEntries":[{"PodUID":"u","ContainerName":"c",
         "ResourceName":"example.com/gpu-mem","DeviceIDs":{"-1":["x",7,"GPU-a::3"],"0":"y"}}]}}
        """);

    assertEquals(Map.of(new PodUid("u"), Map.of("c", Set.of(id("GPU-a::3")))), read());
  }

  @Test
  void bearsThatThereIsNoFile() {
    assertEquals(Map.of(), read());
  }

  private void write(String text) throws Exception {
    Files.writeString(directory.resolve("kubelet_internal_checkpoint"), text);
  }

  private Map<PodUid, Map<String, Set<DeviceId>>> read() {
    return Checkpoint.read(directory, RESOURCE);
  }

  private static DeviceId id(String text) {
    return DeviceId.parse(text).orElseThrow();
  }
}
