package io.gpumem.plugin.kubelet.fake;

import com.google.protobuf.InvalidProtocolBufferException;
import io.gpumem.plugin.kubelet.fake.CheckpointData.PodDevicesEntry;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The kubelet's checkpoint, in the kubelet's shape (devicemanager/checkpoint/checkpoint.go): a
 * {@code Data} object with {@code PodDeviceEntries} and {@code RegisteredDevices}, and a {@code
 * Checksum} over it. The checksum is our own, since the kubelet's is a hash over Go's memory.
 */
final class CheckpointFile {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final Path file;

  CheckpointFile(Path file) {
    this.file = file;
  }

  /** What a starting kubelet found. */
  sealed interface Content {
    record Read(CheckpointData data) implements Content {}

    record Missing() implements Content {}

    record Corrupt(String why) implements Content {}
  }

  void write(CheckpointData data) {
    ObjectNode body = encode(data);
    ObjectNode whole = JSON.createObjectNode();
    whole.set("Data", body);
    whole.put("Checksum", checksum(body));
    Path fresh = file.resolveSibling("." + file.getFileName() + ".tmp");
    try {
      Files.writeString(fresh, whole.toString());
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Content read() {
    if (!Files.exists(file)) {
      return new Content.Missing();
    }
    String text;
    try {
      text = Files.readString(file);
    } catch (CharacterCodingException e) {
      return new Content.Corrupt("the checkpoint is not text");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      JsonNode whole = JSON.readTree(text);
      JsonNode body = whole.path("Data");
      if (!body.isObject() || whole.path("Checksum").asLong(-1) != checksum(body)) {
        return new Content.Corrupt("the checkpoint's checksum is wrong");
      }
      return new Content.Read(decode(body));
    } catch (JacksonException | InvalidProtocolBufferException | IllegalArgumentException e) {
      return new Content.Corrupt(String.valueOf(e.getMessage()));
    }
  }

  private static ObjectNode encode(CheckpointData data) {
    ObjectNode body = JSON.createObjectNode();
    ArrayNode entries = body.putArray("PodDeviceEntries");
    for (PodDevicesEntry entry : data.podDeviceEntries()) {
      ObjectNode node = entries.addObject();
      node.put("PodUID", entry.podUid());
      node.put("ContainerName", entry.containerName());
      node.put("ResourceName", entry.resourceName());
      ObjectNode ids = node.putObject("DeviceIDs");
      entry.deviceIds().forEach((numa, set) -> fill(ids.putArray(Long.toString(numa)), set));
      byte[] response = entry.allocateResponse().toByteArray();
      node.put("AllocResp", Base64.getEncoder().encodeToString(response));
    }
    ObjectNode registered = body.putObject("RegisteredDevices");
    data.registeredDevices().forEach((resource, ids) -> fill(registered.putArray(resource), ids));
    return body;
  }

  private static void fill(ArrayNode array, SortedSet<String> ids) {
    ids.forEach(array::add);
  }

  private static CheckpointData decode(JsonNode body) throws InvalidProtocolBufferException {
    List<PodDevicesEntry> entries = new ArrayList<>();
    for (JsonNode node : body.path("PodDeviceEntries")) {
      SortedMap<Long, SortedSet<String>> ids = new TreeMap<>();
      node.path("DeviceIDs")
          .forEachEntry((numa, list) -> ids.put(Long.parseLong(numa), texts(list)));
      byte[] response = Base64.getDecoder().decode(node.path("AllocResp").asString(""));
      entries.add(
          new PodDevicesEntry(
              node.path("PodUID").asString(""),
              node.path("ContainerName").asString(""),
              node.path("ResourceName").asString(""),
              ids,
              ContainerAllocateResponse.parseFrom(response)));
    }
    SortedMap<String, SortedSet<String>> registered = new TreeMap<>();
    body.path("RegisteredDevices")
        .forEachEntry((resource, list) -> registered.put(resource, texts(list)));
    return new CheckpointData(entries, registered);
  }

  private static SortedSet<String> texts(JsonNode list) {
    SortedSet<String> texts = new TreeSet<>();
    list.forEach(text -> texts.add(text.asString("")));
    return texts;
  }

  private static long checksum(JsonNode body) {
    CRC32 crc = new CRC32();
    crc.update(body.toString().getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }
}
