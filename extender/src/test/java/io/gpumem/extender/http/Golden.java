package io.gpumem.extender.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Requests as kube-scheduler sends them (k8s.io/kube-scheduler extender/v1 of 1.37). */
final class Golden {

  private Golden() {}

  static byte[] bytes(String name) {
    try (var file = Golden.class.getResourceAsStream(name + ".json")) {
      return Objects.requireNonNull(file, name).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String text(String name) {
    return new String(bytes(name), StandardCharsets.UTF_8);
  }
}
