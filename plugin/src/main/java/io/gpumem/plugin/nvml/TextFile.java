package io.gpumem.plugin.nvml;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Small files of the kernel, of which any may be missing or masked in a container. */
final class TextFile {

  private TextFile() {}

  /** The first line, trimmed; empty text when there is none. */
  static String line(Path file) {
    List<String> lines = lines(file);
    return lines.isEmpty() ? "" : lines.get(0).strip();
  }

  /** All lines; none when the file can't be read. */
  static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
    } catch (IOException absent) {
      return List.of();
    }
  }
}
