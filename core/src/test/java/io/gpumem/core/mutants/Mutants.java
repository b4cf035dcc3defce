package io.gpumem.core.mutants;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Proves for each mutant that its named test notices it: the test passes on the tree as it is, and
 * fails by an assertion on the tree with the patch. The tree itself is not touched: a patched file
 * is compiled into a folder of its own that comes first on the class path.
 *
 * <p>Arguments: the repository's root, the class path of all modules with their tests, and names of
 * mutants; all of them when there is none.
 */
final class Mutants {

  /** The slowest killer waits half a minute, twice, for a registration that does not come. */
  private static final long TEST_LIMIT_SECONDS = 240;

  private static final String ROW = "%-34s %-66s %s%n";

  private final Path root;
  private final String classPath;
  private final Path work;

  private Mutants(Path root, String classPath, Path work) {
    this.root = root;
    this.classPath = classPath;
    this.work = work;
  }

  public static void main(String[] args) throws Exception {
    Path root = Path.of(args[0]).toAbsolutePath().normalize();
    List<String> only = List.of(args).subList(2, args.length);
    List<Mutant> chosen =
        Mutant.allIn(root).stream()
            .filter(each -> only.isEmpty() || only.contains(each.name()))
            .toList();
    var mutants = new Mutants(root, args[1], Files.createTempDirectory("mutants"));
    boolean good = !chosen.isEmpty() && mutants.testsPass(chosen);
    if (good) {
      System.out.printf(ROW, "mutant", "test", "killed?");
      for (Mutant each : chosen) {
        String outcome = mutants.outcome(each);
        String test = each.killer().replaceFirst("io\\.gpumem\\.(\\w+\\.)*", "");
        System.out.printf(ROW, each.name(), test, outcome);
        good &= outcome.equals("killed");
      }
    }
    if (good) {
      mutants.cleanUp();
    }
    System.out.println(good ? "all " + chosen.size() + " killed" : "NOT all killed");
    System.exit(good ? 0 : 1);
  }

  /** Logs stay only where there is something to look up in them. */
  private void cleanUp() throws IOException {
    try (Stream<Path> all = Files.walk(work)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  /** The tree as it is: a test that fails anyway proves nothing. */
  private boolean testsPass(List<Mutant> mutants) throws IOException, InterruptedException {
    Map<String, List<String>> byModule = new TreeMap<>();
    mutants.forEach(
        each ->
            byModule.computeIfAbsent(each.testModule(), m -> new ArrayList<>()).add(each.killer()));
    boolean pass = true;
    for (Map.Entry<String, List<String>> module : byModule.entrySet()) {
      List<String> tests = module.getValue().stream().distinct().sorted().toList();
      Path log = work.resolve(module.getKey() + ".log");
      int code = run(module.getKey(), tests, classPath, log);
      if (code != NamedTest.PASSED) {
        System.out.println("without any mutant: " + meaning(code) + "\n" + Files.readString(log));
        pass = false;
      }
    }
    return pass;
  }

  private String outcome(Mutant mutant) throws IOException, InterruptedException {
    Path folder = Files.createDirectories(work.resolve(mutant.name()));
    String source = Files.readString(root.resolve(mutant.patch().path()));
    String patched;
    try {
      patched = mutant.patch().apply(source);
    } catch (IllegalArgumentException rotten) {
      return "ERROR: " + rotten.getMessage();
    }
    Path file = folder.resolve(Path.of(mutant.patch().path()).getFileName());
    Files.writeString(file, patched);
    var messages = new StringWriter();
    if (!compile(file, Files.createDirectories(folder.resolve("classes")), messages)) {
      return "ERROR: it does not compile: " + messages;
    }
    String path = folder.resolve("classes") + File.pathSeparator + classPath;
    Path log = folder.resolve("test.log");
    int code = run(mutant.testModule(), List.of(mutant.killer()), path, log);
    return code == NamedTest.ASSERTION_FAILED ? "killed" : meaning(code) + ", see " + log;
  }

  private boolean compile(Path file, Path into, StringWriter messages) {
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    var out = new PrintWriter(messages, true);
    String[] arguments = {
      "-proc:none", "-nowarn", "-cp", classPath, "-d", into.toString(), file.toString()
    };
    return javac.run(out, out, arguments) == 0;
  }

  private int run(String module, List<String> tests, String path, Path log)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1g", "-Xshare:auto"));
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", path));
    command.add(NamedTest.class.getName());
    command.addAll(tests);
    Process process =
        new ProcessBuilder(command)
            .directory(root.resolve(module).toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (!process.waitFor(TEST_LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      return NamedTest.BROKEN;
    }
    return process.exitValue();
  }

  private static String meaning(int code) {
    return switch (code) {
      case NamedTest.PASSED -> "SURVIVED";
      case NamedTest.ASSERTION_FAILED -> "an assertion failed";
      case NamedTest.NOT_FOUND -> "ERROR: there is no such test";
      default -> "ERROR: the test broke or hung without judging";
    };
  }
}
