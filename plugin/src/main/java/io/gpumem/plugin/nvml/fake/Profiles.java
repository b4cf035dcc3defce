package io.gpumem.plugin.nvml.fake;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The machines that come with the project, each a file of devices in the machine file's form. */
public final class Profiles {

  public static final List<String> NAMES =
      List.of("card-16gib", "h200", "h200-x2", "mig-h200", "mixed", "t4");

  private Profiles() {}

  /** Empty when there is no profile of that name. */
  static Optional<String> text(String name) {
    if (!NAMES.contains(name)) {
      return Optional.empty();
    }
    try (InputStream file = Profiles.class.getResourceAsStream(name + ".json")) {
      if (file == null) {
        throw new IllegalStateException("expected the profile " + name + " in the class path");
      }
      return Optional.of(new String(file.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
