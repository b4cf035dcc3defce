package io.gpumem.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The memory of a process as the kernel counts it (proc(5), smaps_rollup).
 *
 * @param rssKib all resident pages, those shared with other processes too
 * @param pssKib the same, with each shared page divided among those who share it
 */
public record Footprint(long rssKib, long pssKib) {

  private static final double KIB_PER_MIB = 1024;

  /**
   * Reads it now.
   *
   * @throws IOException when the process is gone
   */
  static Footprint of(long pid) throws IOException {
    long rss = 0;
    long pss = 0;
    for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "smaps_rollup"))) {
      if (line.startsWith("Rss:")) {
        rss = kib(line);
      } else if (line.startsWith("Pss:")) {
        pss = kib(line);
      }
    }
    return new Footprint(rss, pss);
  }

  private static long kib(String line) {
    String[] words = line.strip().split("\\s+", -1);
    return Long.parseLong(words[1]);
  }

  public String rssMib() {
    return "%.0f".formatted(rssKib / KIB_PER_MIB);
  }

  public String pssMib() {
    return "%.0f".formatted(pssKib / KIB_PER_MIB);
  }
}
