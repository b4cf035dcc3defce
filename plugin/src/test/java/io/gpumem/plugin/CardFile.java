package io.gpumem.plugin;

import io.gpumem.core.units.DeviceUuid;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A simulated machine's file: cards of given sizes, with faults to write into it. */
final class CardFile {

  private final Path file;
  private final List<String> memories = new ArrayList<>();
  private final Map<Integer, String> faults = new TreeMap<>();
  private boolean hangs;
  private String driver = "loaded";

  private CardFile(Path file) {
    this.file = file;
  }

  /** Cards with so many MiB each. */
  static CardFile of(Path directory, int... mib) {
    CardFile cards = new CardFile(directory.resolve("machine.json"));
    for (int each : mib) {
      cards.memories.add(each + "Mi");
    }
    return cards.write();
  }

  /** One more card with so many MiB. */
  CardFile plus(int mib) {
    memories.add(mib + "Mi");
    return write();
  }

  /** One more card, of which NVML cannot tell the size. */
  CardFile plusUnknown() {
    memories.add("unknown");
    return write();
  }

  static DeviceUuid uuid(int index) {
    return new DeviceUuid("GPU-00000000-0000-4000-8000-%012d".formatted(index));
  }

  Path path() {
    return file;
  }

  void broken(int card, String why) {
    faults.put(card, "{\"health\": \"broken\", \"why\": \"" + why + "\"}");
    write();
  }

  void mended(int card) {
    faults.remove(card);
    write();
  }

  void hang(boolean now) {
    hangs = now;
    write();
  }

  /** {@code loaded}, {@code not-loaded} or {@code mismatch}. */
  CardFile driver(String state) {
    driver = state;
    return write();
  }

  private CardFile write() {
    List<String> devices = new ArrayList<>();
    for (int i = 0; i < memories.size(); i++) {
      devices.add(
          "{\"uuid\": \"%s\", \"model\": \"Card\", \"memory\": \"%s\"}"
              .formatted(uuid(i), memories.get(i)));
    }
    String overrides =
        faults.entrySet().stream()
            .map(fault -> "\"" + fault.getKey() + "\": " + fault.getValue())
            .collect(Collectors.joining(", "));
    String text =
        "{\"v\": 1, \"driver\": \"%s\", \"hang\": %s, \"devices\": [%s], \"overrides\": {%s}}"
            .formatted(driver, hangs, String.join(", ", devices), overrides);
    try {
      Path beside = file.resolveSibling("machine.new");
      Files.writeString(beside, text);
      Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }
}
