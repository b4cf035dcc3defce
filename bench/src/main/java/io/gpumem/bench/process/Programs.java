package io.gpumem.bench.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The two programs as {@code build/dist} leaves them.
 *
 * @param dist the folder that has them
 * @param logs an existing folder for what they print
 */
public record Programs(Path dist, Path logs) {

  /** Starts the plugin with these flags. */
  public Running plugin(List<String> flags) throws IOException {
    return start("plugin", "gpu-mem-plugin", flags);
  }

  /** Starts the extender with these flags. */
  public Running extender(List<String> flags) throws IOException {
    return start("extender", "gpu-mem-extender", flags);
  }

  private Running start(String folder, String launcher, List<String> flags) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(dist.resolve(folder).resolve("bin").resolve(launcher).toString());
    command.addAll(flags);
    return Running.start(command, logs.resolve(folder + ".log"));
  }
}
