package io.gpumem.bench;

import io.gpumem.bench.figures.Machine;
import io.gpumem.bench.figures.Report;
import io.gpumem.bench.measure.Allocate;
import io.gpumem.bench.measure.Measurement;
import io.gpumem.bench.measure.Start;
import io.gpumem.bench.measure.Verbs;
import io.gpumem.bench.method.Methods;
import io.gpumem.bench.process.Programs;
import io.gpumem.platform.log.LogFormat;
import io.gpumem.platform.log.Logging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.event.Level;

/**
 * The bench's process; {@code make bench} starts it in the repository's root, where {@code
 * target/dist} has the programs. Its arguments are the parts to run, all when there is none.
 */
public final class Main {

  private static final Path TARGET = Path.of("target");

  private Main() {}

  public static void main(String[] args) throws Exception {
    // What the played parts log is no part of the figures; what went wrong in them is.
    Logging.configure(LogFormat.TEXT, Level.ERROR);
    Path folder = TARGET.resolve("bench").toAbsolutePath();
    Map<String, Measurement> parts = parts(folder);
    List<String> wanted = args.length == 0 ? List.copyOf(parts.keySet()) : List.of(args);
    if (!parts.keySet().containsAll(wanted)) {
      System.err.println("expected some of " + parts.keySet() + " but was " + wanted);
      System.exit(2);
    }
    Report report =
        Report.begin(
            System.out, folder.resolve("figures.md"), "# Figures\n\n" + Machine.describe());
    for (Map.Entry<String, Measurement> part : parts.entrySet()) {
      if (wanted.contains(part.getKey())) {
        part.getValue().run(report);
      }
    }
    // Threads of the played parts may linger.
    System.exit(0);
  }

  private static Map<String, Measurement> parts(Path folder) throws IOException {
    Path work = folder.resolve("w");
    clear(work);
    Files.createDirectories(work);
    Programs programs = new Programs(TARGET.resolve("dist").toAbsolutePath(), work);
    Map<String, Measurement> parts = new LinkedHashMap<>();
    parts.put("start", new Start(programs, work));
    parts.put("allocate", new Allocate(programs, work));
    parts.put("verbs", new Verbs(programs));
    parts.put("methods", new Methods());
    return parts;
  }

  private static void clear(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
