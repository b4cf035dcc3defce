package io.gpumem.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder of one run: sockets, configuration, logs. Gone at the end, but for logs to keep. */
public final class Workplace implements AutoCloseable {

  /** Beyond it a unix socket in the kubelet's folders may not fit into its 107 bytes. */
  private static final int LONGEST_TEMPORARY_FOLDER = 40;

  private final Path root;
  private final Path logs;
  private volatile boolean logsKept;

  private Workplace(Path root) throws IOException {
    this.root = root;
    this.logs = Files.createDirectory(root.resolve("logs"));
  }

  /** A new, empty folder. */
  public static Workplace create() throws IOException {
    String usual = System.getProperty("java.io.tmpdir");
    Path parent = Path.of(usual.length() > LONGEST_TEMPORARY_FOLDER ? "/tmp" : usual);
    return new Workplace(Files.createTempDirectory(parent.toAbsolutePath(), "gpu-mem"));
  }

  public Path root() {
    return root;
  }

  /** Where the processes write. */
  public Path logs() {
    return logs;
  }

  /** A new folder in it. */
  public Path folder(String name) throws IOException {
    return Files.createDirectory(root.resolve(name));
  }

  /** A new file in it. */
  public Path write(String name, String text) throws IOException {
    return Files.writeString(root.resolve(name), text);
  }

  /** The logs stay when all else goes. */
  public void keepLogs() {
    logsKept = true;
  }

  @Override
  public void close() throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(root)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    } catch (UncheckedIOException moving) {
      throw moving.getCause();
    }
    for (Path path : all) {
      boolean kept = path.equals(root) || path.startsWith(logs);
      if (!logsKept || !kept) {
        Files.deleteIfExists(path);
      }
    }
  }
}
