package io.gpumem.plugin.kubelet.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The kubelet's files under its root, and what happens to them at a start. */
final class KubeletDirectory {
  /** The file type bits of a mode, and those of a socket (stat(2), inode(7)). */
  private static final int FILE_TYPE = 0170000;

  private static final int SOCKET = 0140000;

  private final KubeletSettings settings;

  KubeletDirectory(KubeletSettings settings) {
    this.settings = settings;
  }

  /** Makes the directories and deletes every socket of plugins; other files stay. */
  void prepare() throws IOException {
    Files.createDirectories(settings.devicePlugins());
    Files.createDirectories(settings.podResourcesSocket().getParent());
    for (Path socket : sockets()) {
      Files.deleteIfExists(socket);
    }
    Files.deleteIfExists(settings.podResourcesSocket());
  }

  /** Every socket in the plugins' directory, the kubelet's own included. */
  List<Path> sockets() throws IOException {
    List<Path> sockets = new ArrayList<>();
    for (Path file : files()) {
      if (isSocket(file)) {
        sockets.add(file);
      }
    }
    return sockets;
  }

  /** A plugin may take its socket away between the listing and this look. */
  private static boolean isSocket(Path file) throws IOException {
    try {
      Object mode = Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      return mode instanceof Integer bits && (bits & FILE_TYPE) == SOCKET;
    } catch (NoSuchFileException gone) {
      return false;
    }
  }

  /** Whether any regular file that is not a temporary one lies beside the sockets. */
  boolean hasFiles() throws IOException {
    return files().stream()
        .anyMatch(
            file -> Files.isRegularFile(file) && !file.getFileName().toString().startsWith("."));
  }

  void loseCheckpoint() {
    try {
      Files.deleteIfExists(settings.checkpoint());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Changes one character that the checksum covers; an absent file becomes an unreadable one. */
  void corruptCheckpoint() {
    Path file = settings.checkpoint();
    try {
      String text = Files.exists(file) ? Files.readString(file, StandardCharsets.UTF_8) : "";
      Files.writeString(file, text.replaceFirst("PodDeviceEntries", "PodDeviceEntriez"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(settings.devicePlugins())) {
      return files.toList();
    }
  }
}
