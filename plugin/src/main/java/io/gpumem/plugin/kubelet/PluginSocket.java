package io.gpumem.plugin.kubelet;

import io.grpc.Server;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * One socket of the plugin, from serving to its end. Every start has a file name of its own: before
 * 1.37 the kubelet knows plugins by resource name alone, and an old stream that ends late on the
 * same name would disconnect the new one.
 */
final class PluginSocket implements AutoCloseable {

  /** sun_path has 108 bytes with the terminating zero (unix(7)). */
  private static final int LONGEST_PATH = 107;

  private static final String PREFIX = "gpumem-";
  private static final String SUFFIX = ".sock";
  private static final int STOP_SECONDS = 2;

  private final Path file;
  private final Server server;
  private final ListStreams streams;
  private final Optional<String> identity;

  private PluginSocket(Path file, Server server, ListStreams streams) {
    this.file = file;
    this.server = server;
    this.streams = streams;
    this.identity = UnixSockets.identity(file);
  }

  /** Serves on a new socket in the kubelet's directory. */
  static PluginSocket open(
      Path directory, UnixSockets sockets, DevicePluginService service, ListStreams streams)
      throws IOException {
    String random = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    Path file = directory.resolve(PREFIX + ProcessHandle.current().pid() + "-" + random + SUFFIX);
    if (file.toString().length() > LONGEST_PATH) {
      throw new IOException(
          "the socket path "
              + file
              + " is longer than the "
              + LONGEST_PATH
              + " bytes that a unix socket may have");
    }
    return new PluginSocket(file, sockets.serve(file, service), streams);
  }

  /** Removes socket files that earlier starts left behind and nobody serves any more. */
  static List<Path> removeStale(Path directory) throws IOException {
    List<Path> removed = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
      for (Path file : files) {
        if (!UnixSockets.isServed(file) && Files.deleteIfExists(file)) {
          removed.add(file);
        }
      }
    }
    return removed;
  }

  /** The bare file name, which is what the kubelet joins with its own directory. */
  String endpoint() {
    return file.getFileName().toString();
  }

  /** Whether the file under our name is still ours: a server on a removed file sees no error. */
  boolean isPresent() {
    return identity.isPresent() && identity.equals(UnixSockets.identity(file));
  }

  ListStreams streams() {
    return streams;
  }

  @Override
  public void close() {
    streams.close();
    server.shutdown();
    try {
      if (!server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        server.shutdownNow();
      }
      if (isPresent()) {
        Files.deleteIfExists(file);
      }
    } catch (InterruptedException stopping) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    } catch (IOException leftBehind) {
      // The next start removes it as stale.
      server.shutdownNow();
    }
  }
}
