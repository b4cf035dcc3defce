package io.gpumem.core.house;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;

/** Made-up files for the rules' own tests, and what the rules say of them. */
final class Made {

  private Made() {}

  /** A shipped source of the named package; its type is made of the file's name and the body. */
  static SourceFile main(String packageName, String file, String... lines) {
    return java("main", packageName, file, lines);
  }

  static SourceFile test(String packageName, String file, String... lines) {
    return java("test", packageName, file, lines);
  }

  /** The module is the name after {@code io.gpumem}. The first given line is the file's third. */
  private static SourceFile java(String tree, String packageName, String file, String... lines) {
    var module = packageName.split("\\.")[2];
    var folder = module + "/src/" + tree + "/java/" + packageName.replace('.', '/');
    var head = "package " + packageName + ";\n\n";
    return new SourceFile(folder + "/" + file, head + String.join("\n", lines) + "\n");
  }

  static SourceFile page(String path, String... lines) {
    return new SourceFile(path, String.join("\n", lines) + "\n");
  }

  /** The lines where a rule is broken, as {@code File.java:3}, in order. */
  static void assertBroken(List<Violation> found, String... places) {
    var actual =
        found.stream().map(it -> it.path().replaceFirst(".*/", "") + ":" + it.line()).toList();
    assertEquals(List.of(places), actual, found::toString);
  }
}
