package io.gpumem.plugin.kubelet;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.PodUid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The file in which the kubelet remembers which container holds which device IDs. It is not an
 * interface: it is read once at start, for what no interface shows, and a file that can't be read
 * tells nothing. It is never written, locked or waited for, and its checksum is not verified (a
 * hash over Go's memory): the kubelet replaces the file as a whole.
 *
 * <p>Source: pkg/kubelet/cm/devicemanager/checkpoint/checkpoint.go.
 */
public final class Checkpoint {

  /** Its name in the device-plugins directory. */
  private static final String NAME = "kubelet_internal_checkpoint";

  /** 5,000 IDs of ours take one; other plugins of the node have their IDs in it, too. */
  private static final long LARGEST_BYTES = 64 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(Checkpoint.class);
  private static final JsonMapper JSON = JsonMapper.shared();

  private Checkpoint() {}

  /**
   * The IDs of our resource in the file of this directory, by pod and container; none when it can't
   * be read. Of entries that are not what we expect nothing is taken.
   */
  public static Map<PodUid, Map<String, Set<DeviceId>>> read(Path directory, String resource) {
    Path file = directory.resolve(NAME);
    try {
      long bytes = Files.size(file);
      if (bytes <= LARGEST_BYTES) {
        return holders(JSON.readTree(Files.readAllBytes(file)).path("Data"), resource);
      }
      LOG.atWarn().addKeyValue("bytes", bytes).log("the kubelet's checkpoint is too large to read");
    } catch (IOException | JacksonException unreadable) {
      String why = String.valueOf(unreadable.getMessage());
      LOG.atInfo().addKeyValue("why", why).log("the kubelet's checkpoint tells nothing");
    }
    return Map.of();
  }

  private static Map<PodUid, Map<String, Set<DeviceId>>> holders(JsonNode data, String resource) {
    Map<PodUid, Map<String, Set<DeviceId>>> holders = new HashMap<>();
    for (JsonNode entry : data.path("PodDeviceEntries")) {
      String uid = entry.path("PodUID").asString("");
      if (!uid.isEmpty() && entry.path("ResourceName").asString("").equals(resource)) {
        Set<DeviceId> ids =
            holders
                .computeIfAbsent(new PodUid(uid), pod -> new HashMap<>())
                .computeIfAbsent(
                    entry.path("ContainerName").asString(""), container -> new HashSet<>());
        // By NUMA node; a device of several is named under each.
        for (JsonNode ofOneNode : entry.path("DeviceIDs")) {
          for (JsonNode id : ofOneNode) {
            DeviceId.parse(id.asString("")).ifPresent(ids::add);
          }
        }
      }
    }
    return holders;
  }
}
