package io.gpumem.plugin.nvml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Finds the NVML library under a driver root.
 *
 * <p>The name is always {@code libnvidia-ml.so.1}: the plain {@code .so} comes with development
 * packages only and may be the CUDA toolkit's stub, which loads and then fails. A path is preferred
 * to the dynamic loader's search, for the loader's cache in an image can hide a library that was
 * mounted later.
 */
final class LibrarySearch {

  static final String NAME = "libnvidia-ml.so.1";

  /** NVIDIA's own order for a driver root; then what prebuilt nodes and WSL2 use. */
  private static final List<String> FOLDERS =
      List.of(
          "usr/lib64",
          "usr/lib/x86_64-linux-gnu",
          "usr/lib/aarch64-linux-gnu",
          "lib64",
          "lib/x86_64-linux-gnu",
          "lib/aarch64-linux-gnu",
          "usr/local/nvidia/lib64",
          "usr/lib",
          "usr/lib/wsl/lib");

  /** Where a driver container shows its root to the host. */
  private static final String DRIVER_CONTAINER = "run/nvidia/driver";

  /** As many links as the kernel itself follows. */
  private static final int MOST_LINKS = 40;

  private LibrarySearch() {}

  /** The first library found, its links followed inside the root that it was found under. */
  static Optional<Path> under(Path driverRoot) {
    for (Path root : List.of(driverRoot, driverRoot.resolve(DRIVER_CONTAINER))) {
      for (String folder : FOLDERS) {
        Optional<Path> library = follow(root, root.resolve(folder).resolve(NAME));
        if (library.isPresent()) {
          return library;
        }
      }
    }
    return Optional.empty();
  }

  /** An absolute link in a mounted root (Debian's alternatives are such) means a place in it. */
  private static Optional<Path> follow(Path root, Path start) {
    Path file = start;
    for (int links = 0; links < MOST_LINKS; links++) {
      if (!Files.isSymbolicLink(file)) {
        return Files.isRegularFile(file) ? Optional.of(file) : Optional.empty();
      }
      try {
        Path target = Files.readSymbolicLink(file);
        file =
            target.isAbsolute()
                ? root.resolve(target.getRoot().relativize(target))
                : file.resolveSibling(target).normalize();
      } catch (IOException vanished) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }
}
