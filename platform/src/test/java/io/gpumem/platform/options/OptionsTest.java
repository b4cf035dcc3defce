package io.gpumem.platform.options;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.Memory;
import io.gpumem.platform.log.LogFormat;
import io.gpumem.platform.log.Logging;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

class OptionsTest {

  private static final Option<Memory> UNIT =
      Option.of("--unit-size", Parsers.memory(), "1Gi", "What one unit stands for.");
  private static final Option<Duration> POLL =
      Option.of(
          "--poll",
          Parsers.duration(Duration.ofMillis(100), Duration.ofMinutes(1)),
          "5s",
          "How often devices are read.");
  private static final Option<Boolean> HINTS = Option.off("--numa-hints", "Whether to hint.");
  private static final Option<Boolean> EVENTS = Option.on("--events", "Whether to send events.");
  private static final Option<Optional<Path>> CONFIG =
      Option.optional("--kubeconfig", Parsers.path(), "Where the API server is.");
  private static final Option<String> NODE =
      Option.required("--node-name", Parsers.text(), "This node.");
  private static final Option<String> TOKEN =
      Option.of("--token", Parsers.text(), "none", "What to show.").asSecret();

  private static final Options OPTIONS =
      Options.of(List.of(UNIT, POLL, HINTS, EVENTS, CONFIG, NODE, TOKEN))
          .removed("--memory-unit", "use --unit-size")
          .rule(OptionsTest::hintsNeedEvents);

  private static final Map<String, String> NODE_SET = Map.of("GPUMEM_NODE_NAME", "n1");

  @Test
  void hasTheseDefaults() {
    var values = good(List.of(), NODE_SET);

    assertEquals(Memory.ofGib(1), values.get(UNIT));
    assertEquals(Duration.ofSeconds(5), values.get(POLL));
    assertFalse(values.get(HINTS));
    assertTrue(values.get(EVENTS));
    assertEquals(Optional.empty(), values.get(CONFIG));
    assertEquals("n1", values.get(NODE));
    assertEquals(Source.DEFAULT, values.source(UNIT));
    assertEquals(Source.ENV, values.source(NODE));
  }

  @Test
  void mapsEveryFlag() {
    var values =
        good(
            List.of(
                "--unit-size=512Mi",
                "--poll",
                "200ms",
                "--numa-hints",
                "--events=true",
                "--kubeconfig=/a=b",
                "--node-name",
                "-n",
                "--token=t"),
            Map.of());

    assertEquals(Memory.ofMib(512), values.get(UNIT));
    assertEquals(Duration.ofMillis(200), values.get(POLL));
    assertTrue(values.get(HINTS));
    assertTrue(values.get(EVENTS));
    assertEquals(Optional.of(Path.of("/a=b")), values.get(CONFIG));
    assertEquals("-n", values.get(NODE));
    assertEquals("t", values.get(TOKEN));
    assertTrue(values.rows().stream().allMatch(row -> row.source() == Source.FLAG));
  }

  @Test
  void mapsEveryVariable() {
    var values =
        good(
            List.of(),
            Map.of(
                "GPUMEM_UNIT_SIZE", "2Gi",
                "GPUMEM_POLL", "1m",
                "GPUMEM_NUMA_HINTS", "true",
                "GPUMEM_EVENTS", "true",
                "GPUMEM_KUBECONFIG", "/k",
                "GPUMEM_NODE_NAME", "n2",
                "GPUMEM_TOKEN", "t"));

    assertEquals(Memory.ofGib(2), values.get(UNIT));
    assertEquals(Optional.of(Path.of("/k")), values.get(CONFIG));
    assertTrue(values.get(HINTS));
    assertTrue(values.rows().stream().allMatch(row -> row.source() == Source.ENV));
  }

  @Test
  void prefersTheFlagToTheEnvironmentToTheDefault() {
    var env = Map.of("GPUMEM_NODE_NAME", "n1", "GPUMEM_UNIT_SIZE", "2Gi", "GPUMEM_POLL", "");

    var values = good(List.of("--unit-size=4Gi"), env);

    assertEquals(Memory.ofGib(4), values.get(UNIT));
    assertEquals(Source.FLAG, values.source(UNIT));
    assertEquals(Source.DEFAULT, values.source(POLL));
  }

  @Test
  void refusesUnknownFlagsWithTheClosestName() {
    assertEquals(
        List.of(
            "--unit-sise is no option; did you mean --unit-size?",
            "--zebra-crossing is no option; --help lists all options"),
        problems(List.of("--unit-sise", "4Gi", "--zebra-crossing=1"), NODE_SET));
  }

  @Test
  void refusesUnknownVariablesOfOurPrefixOnly() {
    var env =
        Map.of("GPUMEM_NODE_NAME", "n1", "GPUMEM_UNITSIZE", "1Gi", "PATH", "/bin", "GPU", "x");

    assertEquals(
        List.of("GPUMEM_UNITSIZE is no option; did you mean GPUMEM_UNIT_SIZE?"),
        problems(List.of(), env));
  }

  @Test
  void letsTheVariablesOfAServicePass() {
    var env =
        Map.of(
            "GPUMEM_NODE_NAME", "n1",
            "GPUMEM_X_SERVICE_HOST", "10.0.0.1",
            "GPUMEM_X_SERVICE_PORT_HTTP", "80",
            "GPUMEM_X_PORT", "tcp://10.0.0.1:80",
            "GPUMEM_X_PORT_80_TCP_ADDR", "10.0.0.1");

    assertEquals("n1", good(List.of(), env).get(NODE));
    assertEquals(
        List.of("GPUMEM_Y_PORT is no option; --help lists all options"),
        problems(List.of(), Map.of("GPUMEM_NODE_NAME", "n1", "GPUMEM_Y_PORT", "1")));
  }

  @Test
  void pointsFromRemovedNamesToTheNew() {
    assertEquals(
        List.of(
            "--memory-unit was removed: use --unit-size",
            "GPUMEM_MEMORY_UNIT was removed: use --unit-size"),
        problems(
            List.of("--memory-unit=1Gi"),
            Map.of("GPUMEM_NODE_NAME", "n1", "GPUMEM_MEMORY_UNIT", "1Gi")));
  }

  @Test
  void saysWhereABadValueStands() {
    assertEquals(
        List.of(
            "--unit-size: expected an amount of memory such as 1Gi or 512Mi but was \"1GB\"",
            "GPUMEM_POLL: expected a duration from 100ms to 1m, such as 200ms or 5s but was \"5\""),
        problems(List.of("--unit-size=1GB"), Map.of("GPUMEM_NODE_NAME", "n1", "GPUMEM_POLL", "5")));
  }

  @Test
  void saysWhatIsMissing() {
    assertEquals(
        List.of("--node-name (or GPUMEM_NODE_NAME) must be given, a text"),
        problems(List.of(), Map.of()));
    assertEquals(
        List.of("--poll needs a value, " + POLL.parser().form() + ": --poll=..."),
        problems(List.of("--poll", "--events"), NODE_SET));
  }

  @Test
  void refusesStrayWordsAndRepeatedFlags() {
    assertEquals(
        List.of(
            "\"false\" is no flag; options are --name=value, a switch is off by --name=false",
            "--poll is given twice; give it once"),
        problems(List.of("--events", "false", "--poll=1s", "--poll=2s"), NODE_SET));
  }

  @Test
  void showsNoSecret() {
    var options = Options.of(List.of(TOKEN));
    var values = assertInstanceOf(Values.class, options.parse(List.of("--token=abc"), Map.of()));
    var problems =
        assertInstanceOf(
            Parsed.Problems.class,
            Options.of(
                    List.of(Option.required("--pin", Parsers.integer(0, 9), "A pin.").asSecret()))
                .parse(List.of("--pin=12345"), Map.of()));

    assertFalse(values.table().contains("abc"));
    assertEquals("abc", values.get(TOKEN));
    assertEquals(List.of("--pin: expected a whole number from 0 to 9"), problems.sentences());
  }

  @Test
  void asksRulesOverSeveralOptions() {
    assertEquals(
        List.of("--numa-hints needs --events"),
        problems(List.of("--numa-hints", "--events=false"), NODE_SET));
  }

  @Test
  void givesHelpWhateverElseIsWrong() {
    assertInstanceOf(Parsed.HelpAsked.class, OPTIONS.parse(List.of("--oops", "-h"), Map.of()));

    var help = OPTIONS.help("gpu-mem-plugin");
    assertTrue(help.startsWith("usage: gpu-mem-plugin "));
    assertTrue(
        help.contains(
            """
            --unit-size  (GPUMEM_UNIT_SIZE)
                What one unit stands for.
                an amount of memory such as 1Gi or 512Mi; default 1Gi
            """));
  }

  @Test
  void printsTheEffectiveConfigurationAligned() {
    assertEquals(
        """
        unit-size   4Gi       flag
        poll        5s        default
        numa-hints  false     default
        events      true      default
        kubeconfig            default
        node-name   n1        env
        token       (hidden)  default
        """,
        good(List.of("--unit-size=4Gi"), NODE_SET).table());
  }

  @Test
  void logsTheEffectiveConfigurationOnceWithoutSecrets() {
    var out = new ByteArrayOutputStream();
    Logging.configure(LogFormat.TEXT, Level.INFO, out, () -> Instant.EPOCH);
    try {
      good(List.of("--unit-size=4Gi"), NODE_SET).log(LoggerFactory.getLogger("Test"));
    } finally {
      Logging.configure(LogFormat.TEXT, Level.INFO);
    }

    var lines = out.toString(UTF_8).lines().map(line -> line.substring(25)).toList();
    assertEquals(7, lines.size());
    assertEquals("INFO  Test: configuration option=unit-size value=4Gi from=flag", lines.get(0));
    assertEquals(
        "INFO  Test: configuration option=token value=(hidden) from=default", lines.get(6));
  }

  @Test
  void configuresLoggingTheSameWayEverywhere() {
    var parsed =
        Options.of(List.of(LogOptions.FORMAT, LogOptions.LEVEL))
            .parse(List.of("--log-format=json"), Map.of("GPUMEM_LOG_LEVEL", "debug"));
    var values = assertInstanceOf(Values.class, parsed);

    assertEquals(LogFormat.JSON, values.get(LogOptions.FORMAT));
    assertEquals(Level.DEBUG, values.get(LogOptions.LEVEL));
  }

  @Test
  void writesThePageOfOptions() {
    var lines = OPTIONS.markdown().lines().toList();

    assertEquals("| Flag | Environment | Value | Default | Meaning |", lines.getFirst());
    assertEquals(
        "| `--unit-size` | `GPUMEM_UNIT_SIZE` | an amount of memory such as 1Gi or 512Mi"
            + " | `1Gi` | What one unit stands for. |",
        lines.get(2));
    assertEquals(9, lines.size());
    assertTrue(lines.get(6).contains("| none |"));
    assertTrue(lines.get(7).contains("| must be given |"));
  }

  @Test
  void refusesATableThatIsWrongInItself() {
    assertThrows(IllegalArgumentException.class, () -> Options.of(List.of(UNIT, UNIT)));
    assertThrows(
        IllegalArgumentException.class, () -> Option.of("--x", Parsers.memory(), "1GB", "X."));
    assertThrows(IllegalArgumentException.class, () -> Option.off("-x", "X."));
    var values = good(List.of(), NODE_SET);
    assertThrows(IllegalArgumentException.class, () -> values.get(Option.off("--other", "X.")));
  }

  private static Optional<String> hintsNeedEvents(Values values) {
    return values.get(HINTS) && !values.get(EVENTS)
        ? Optional.of("--numa-hints needs --events")
        : Optional.empty();
  }

  private static Values good(List<String> args, Map<String, String> env) {
    return assertInstanceOf(Values.class, OPTIONS.parse(args, env));
  }

  private static List<String> problems(List<String> args, Map<String, String> env) {
    return assertInstanceOf(Parsed.Problems.class, OPTIONS.parse(args, env)).sentences();
  }
}
