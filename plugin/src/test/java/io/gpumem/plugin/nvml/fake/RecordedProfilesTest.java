package io.gpumem.plugin.nvml.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.gpumem.plugin.nvml.PciAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The H200 profiles against what a real machine answered, where the recordings are at hand. */
final class RecordedProfilesTest {

  @ParameterizedTest
  @CsvSource({"h200,h200-x1.json", "h200-x2,h200-x2.json"})
  void hasTheNumbersOfTheRecording(String profile, String recording) throws IOException {
    Optional<Path> file = recording(recording);
    assumeTrue(file.isPresent(), "the recordings are not beside the repository");
    JsonNode recorded = JsonMapper.shared().readTree(Files.readString(file.get()));

    MachineFile.Parsed parsed = MachineFile.parse("{\"v\":1,\"profile\":\"" + profile + "\"}");
    List<SimulatedGpu> gpus =
        assertInstanceOf(MachineFile.Parsed.Good.class, parsed).machine().gpus();
    assertEquals(recorded.get("count").intValue(), gpus.size());
    for (int index = 0; index < gpus.size(); index++) {
      same(recorded.get("devices").get(index), gpus.get(index));
    }
  }

  private static void same(JsonNode recorded, SimulatedGpu gpu) {
    JsonNode memory = recorded.get("MemoryInfo_v2");
    assertEquals(recorded.get("UUID").stringValue(), gpu.uuid().text());
    assertEquals(recorded.get("Name").stringValue(), gpu.model());
    assertEquals(recorded.get("MinorNumber").intValue(), gpu.minor());
    assertEquals(
        PciAddress.parse(recorded.get("PciInfo").get("busId").stringValue()),
        Optional.of(gpu.bus()));
    assertEquals(memory.get("total").longValue(), gpu.memory().total().orElseThrow());
    assertEquals(memory.get("reserved").longValue(), gpu.memory().reserved());
    assertEquals(memory.get("used").longValue(), gpu.memory().used());
    assertEquals(0, recorded.get("MigMode").get(0).intValue());
    assertEquals(Optional.empty(), gpu.mig());
  }

  private static Optional<Path> recording(String name) {
    for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
      Path file = folder.resolve("shared/fixtures/nvml").resolve(name);
      if (Files.exists(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }
}
