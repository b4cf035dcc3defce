package io.gpumem.demo.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The two binaries as command lines. They are configured by flags alone, so that what runs here can
 * be read in the process list.
 *
 * @param java the java program
 * @param pluginPath the plugin's class path
 * @param extenderPath the extender's class path
 */
public record Binaries(Path java, String pluginPath, String extenderPath) {

  /** As in the images: one GC thread and one compiler suit processes this small. */
  private static final List<String> JVM =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseCompactObjectHeaders",
          "-Xss256k",
          "-XX:+ExitOnOutOfMemoryError",
          "--enable-native-access=ALL-UNNAMED");

  /** The binaries as the build leaves them under the repository's root. */
  public static Binaries built(Path root) {
    return new Binaries(runningJava(), built(root, "plugin"), built(root, "extender"));
  }

  /** Both on the class path of this process. */
  public static Binaries ofThisProcess() {
    String path = System.getProperty("java.class.path");
    return new Binaries(runningJava(), path, path);
  }

  private static Path runningJava() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  private static String built(Path root, String module) {
    Path target = root.resolve(module).resolve("target");
    return target + "/*:" + target.resolve("lib") + "/*";
  }

  /** The plugin's command line with these flags. */
  public List<String> plugin(List<String> flags) {
    return command("-Xmx64m", pluginPath, "io.gpumem.plugin.Main", flags);
  }

  /** The extender's command line with these flags. */
  public List<String> extender(List<String> flags) {
    return command("-Xmx128m", extenderPath, "io.gpumem.extender.Main", flags);
  }

  private List<String> command(String heap, String classPath, String main, List<String> flags) {
    List<String> command = new ArrayList<>();
    command.add(java.toString());
    command.addAll(JVM);
    command.addAll(List.of(heap, "-cp", classPath, main));
    command.addAll(flags);
    return command;
  }
}
