package io.gpumem.demo.hardware;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Runs a program in a mount namespace of its own, whose {@code /dev} has these nodes and no others:
 * what a container gets of a device plugin's answer. Needs root.
 *
 * @param scratch a folder for the new {@code /dev} to be made in
 */
record PrivateDev(Path program, Path scratch) {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  /**
   * As root with the right to make device nodes, the driver's library makes a missing {@code
   * /dev/nvidiaN} itself (seen on an H200, driver 580); in a container the device cgroup forbids to
   * open it.
   */
  private static final String UNPRIVILEGED =
      "setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs ";

  /** What every program may expect of a {@code /dev}. */
  private static final List<String> COMMON = List.of("/dev/null", "/dev/zero", "/dev/urandom");

  /** The shell script that makes the folder into {@code /dev} and runs the program. */
  String script(List<String> nodes) {
    StringBuilder script = new StringBuilder("set -e\n");
    script.append("mkdir -p ").append(scratch).append('\n');
    script.append("mount -t tmpfs gpu-mem-dev ").append(scratch).append('\n');
    List<String> all = new ArrayList<>(COMMON);
    all.addAll(new TreeSet<>(nodes));
    for (String node : all) {
      Path there = scratch.resolve(Path.of("/dev").relativize(Path.of(node)));
      script.append("mkdir -p ").append(there.getParent()).append('\n');
      script.append("touch ").append(there).append('\n');
      script.append("mount --bind ").append(node).append(' ').append(there).append('\n');
    }
    script.append("mount --rbind ").append(scratch).append(" /dev\n");
    return script.append("exec ").append(UNPRIVILEGED).append(program).append('\n').toString();
  }

  /** What the program saw there. */
  Seen run(List<String> nodes, Map<String, String> environment)
      throws IOException, InterruptedException {
    return output(List.of("unshare", "--mount", "sh", "-c", script(nodes)), environment);
  }

  /** What the program saw in the machine's own {@code /dev}. */
  Seen runOutside(Map<String, String> environment) throws IOException, InterruptedException {
    return output(List.of(program.toString()), environment);
  }

  private static Seen output(List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      process.destroyForcibly();
      return new Seen(List.of(), false, text + "(killed after " + LIMIT + ")");
    }
    return Seen.of(text);
  }
}
