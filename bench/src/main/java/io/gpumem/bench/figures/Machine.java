package io.gpumem.bench.figures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The machine that the figures were read on: figures of another one don't compare. */
public final class Machine {

  private static final long KIB_PER_GIB = 1L << 20;

  private Machine() {}

  /** One sentence. */
  public static String describe() throws IOException {
    String processor =
        find(Path.of("/proc/cpuinfo"), "model name").orElse(System.getProperty("os.arch"));
    long kib =
        find(Path.of("/proc/meminfo"), "MemTotal")
            .map(text -> Long.parseLong(text.split(" ", -1)[0]))
            .orElse(0L);
    String load = Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[0];
    return "Read on %d cores (%s), %d GiB, Linux %s, Java %s; load before the run %s."
        .formatted(
            Runtime.getRuntime().availableProcessors(),
            processor,
            Math.round((double) kib / KIB_PER_GIB),
            System.getProperty("os.version"),
            Runtime.version(),
            load);
  }

  private static Optional<String> find(Path file, String key) throws IOException {
    List<String> lines = Files.readAllLines(file);
    return lines.stream()
        .filter(line -> line.startsWith(key))
        .findFirst()
        .map(line -> line.substring(line.indexOf(':') + 1).strip());
  }
}
