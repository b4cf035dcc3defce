package io.gpumem.demo.hardware;

import java.util.ArrayList;
import java.util.List;

/**
 * What a CUDA program saw.
 *
 * @param uuids of the devices, in CUDA's order
 * @param took whether it could take memory of the first
 * @param text all that it printed
 */
record Seen(List<String> uuids, boolean took, String text) {

  private static final String DEVICE = "device ";

  Seen {
    uuids = List.copyOf(uuids);
  }

  /** Reads the probe's output. */
  static Seen of(String text) {
    List<String> uuids = new ArrayList<>();
    boolean took = false;
    for (String line : text.lines().toList()) {
      if (line.startsWith(DEVICE)) {
        uuids.add(line.split(" ", -1)[2]);
      }
      took |= line.equals("allocate 64 MiB: 0");
    }
    return new Seen(uuids, took, text);
  }

  boolean isOnly(String uuid) {
    return uuids.equals(List.of(uuid)) && took;
  }
}
