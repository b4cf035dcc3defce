package io.gpumem.plugin.nvml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.Memory;
import io.gpumem.plugin.nvml.fake.Profiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every source of GPUs obeys, said in machine files that each of them has to become. */
abstract class GpuSourceContract {

  /** Far more than a scan of either source takes on a busy machine. */
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private static final String A = "GPU-00000000-0000-4000-8000-000000000001";
  private static final String B = "GPU-00000000-0000-4000-8000-000000000002";

  @TempDir Path folder;

  private GpuSource source;

  /** The source under test, looking at a machine that {@link #become} has set. */
  abstract GpuSource open();

  abstract void become(String machineFile);

  @BeforeEach
  void start() {
    become("{\"v\":1,\"profile\":\"h200-x2\"}");
    source = open();
  }

  @AfterEach
  void end() {
    become("{\"v\":1,\"profile\":\"h200-x2\"}");
    source.close();
  }

  static List<String> profiles() {
    return Profiles.NAMES;
  }

  @ParameterizedTest
  @MethodSource("profiles")
  void tellsTheFactsOfEachProfile(String profile) {
    become("{\"v\":1,\"profile\":\"" + profile + "\"}");

    assertEquals(GoldenFacts.of(profile), GoldenFacts.lines(seen()));
    assertEquals(List.of(), seen().leftOut());
  }

  @ParameterizedTest
  @MethodSource("profiles")
  void givesTwoSeedsUnlikeNamesAndOneSeedTheSame(String profile) {
    Set<String> names = new HashSet<>();
    for (String seed : List.of("n1", "n2", "n1")) {
      become("{\"v\":1,\"profile\":\"" + profile + "\",\"seed\":\"" + seed + "\"}");
      try (GpuSource fresh = open()) {
        assertInstanceOf(Scan.Seen.class, fresh.scan())
            .devices()
            .forEach(device -> names.add(device.uuid().text()));
      }
    }
    assertEquals(2 * GoldenFacts.of(profile).size(), names.size(), names::toString);
    assertTrue(
        names.stream()
            .allMatch(name -> name.matches("(GPU|MIG)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")));
  }

  @Test
  void sizesADeviceByTotalAndReserveWhateverItsLoad() {
    Memory idle = seen().devices().getFirst().usable().orElseThrow();
    become("{'v':1,'profile':'h200-x2','overrides':{'0':{'used':'100Gi'}}}".replace('\'', '"'));

    GpuFacts loaded = seen().devices().getFirst();
    assertEquals(idle, loaded.usable().orElseThrow());
    assertEquals(Memory.ofGib(100), loaded.used());
    assertEquals(139, loaded.usable().orElseThrow().units(Memory.ofGib(1)));
  }

  @Test
  void tellsOneBrokenGpuAndLeavesTheOther() {
    override("'0':{'health':'broken','why':'a fault'}");

    assertEquals(
        List.of(
            "0 GPU…01 minor 0 NVIDIA H200 143771Mi-616Mi used 0Mi numa ? broken",
            "1 GPU…02 minor 1 NVIDIA H200 143771Mi-616Mi used 0Mi numa ? working"),
        GoldenFacts.lines(seen()));
  }

  @Test
  void keepsALostGpuWithItsLastFactsAndItsNumber() {
    seen();
    override("'0':{'health':'lost'}");

    assertEquals(
        List.of(
            "0 GPU…01 minor 0 NVIDIA H200 143771Mi-616Mi used 0Mi numa ? broken",
            "1 GPU…02 minor 1 NVIDIA H200 143771Mi-616Mi used 0Mi numa ? working"),
        GoldenFacts.lines(seen()));
    assertEquals(List.of(), seen().leftOut());
  }

  @Test
  void keepsARemovedGpuWithItsLastFactsAndItsNumber() {
    seen();
    override("'0':{'health':'removed'}");

    assertEquals(
        List.of(
            "0 GPU…01 minor 0 NVIDIA H200 143771Mi-616Mi used 0Mi numa ? broken",
            "1 GPU…02 minor 1 NVIDIA H200 143771Mi-616Mi used 0Mi numa ? working"),
        GoldenFacts.lines(seen()));
  }

  @Test
  void takesALostGpuBackWhenItAnswers() {
    seen();
    override("'0':{'health':'lost'}");
    seen();
    become("{\"v\":1,\"profile\":\"h200-x2\"}");

    assertEquals(GoldenFacts.of("h200-x2"), GoldenFacts.lines(seen()));
  }

  @Test
  void leavesOutALostGpuItNeverKnewAndKeepsItsNumberFree() {
    override("'0':{'health':'lost'}");

    Scan.Seen seen = seen();
    assertEquals(
        List.of("1 GPU…02 minor 1 NVIDIA H200 143771Mi-616Mi used 0Mi numa ? working"),
        GoldenFacts.lines(seen));
    assertEquals(List.of("GPU 0"), seen.leftOut().stream().map(LeftOut::what).toList());
  }

  @Test
  void keepsTheMigDevicesOfALostGpu() {
    become("{\"v\":1,\"profile\":\"mixed\"}");
    seen();
    become("{'v':1,'profile':'mixed','overrides':{'0':{'health':'lost'}}}".replace('\'', '"'));

    Scan.Seen seen = seen();
    assertEquals(
        List.of("0 working", "1 broken", "2 broken"),
        seen.devices().stream()
            .filter(GpuSourceContract::isOfMixed)
            .map(d -> d.index() + " " + GoldenFacts.word(d))
            .toList());
  }

  /** The two GPUs that the source saw first are gone for good, and stay in the list as broken. */
  private static boolean isOfMixed(GpuFacts device) {
    return device.uuid().text().matches(".*4[0-9]");
  }

  @Test
  void tellsMemoryThatTheDriverDoesNot() {
    override("'0':{'memory':'unknown'}");

    GpuFacts first = seen().devices().getFirst();
    assertTrue(first.total().isEmpty());
    assertTrue(first.usable().isEmpty());
    assertEquals(Condition.WORKING, first.condition());
  }

  @Test
  void hasNoDeviceWhereMigIsOnAndNoInstanceIsMade() {
    become(device("'mig':[]"));

    Scan.Seen seen = fresh();
    assertEquals(List.of(), seen.devices());
    assertEquals(List.of(), seen.leftOut());
  }

  @Test
  void leavesOutAGpuInstanceThatIsSplit() {
    become(
        device(
            "'mig':[{'slot':0,'profile':'1c.2g.35gb','gpuInstance':3,'memory':'33280Mi'},"
                + "{'slot':1,'profile':'1c.2g.35gb','gpuInstance':3,'computeInstance':1,"
                + "'memory':'33280Mi'},"
                + "{'slot':4,'profile':'1g.18gb','gpuInstance':9,'memory':'16384Mi'}]"));

    Scan.Seen seen = fresh();
    assertEquals(
        List.of("1g.18gb"),
        seen.devices().stream().map(device -> device.mig().orElseThrow().profile()).toList());
    assertEquals(
        List.of("GPU instance 3 of " + A), seen.leftOut().stream().map(LeftOut::what).toList());
  }

  @Test
  void forgetsAMigDeviceThatWasUnmade() {
    become("{\"v\":1,\"profile\":\"mig-h200\"}");
    try (GpuSource fresh = open()) {
      fresh.scan();
      become(
          "{'v':1,'profile':'mig-h200','overrides':{'0:1':{'health':'removed'}}}"
              .replace('\'', '"'));
      Scan.Seen seen = assertInstanceOf(Scan.Seen.class, fresh.scan());
      assertEquals(
          List.of("3g.71gb", "1g.18gb", "1g.18gb"),
          seen.devices().stream().map(device -> device.mig().orElseThrow().profile()).toList());
    }
  }

  @Test
  void keepsABrokenMigDeviceAmongWorkingOnes() {
    become("{\"v\":1,\"profile\":\"mig-h200\"}");
    try (GpuSource fresh = open()) {
      fresh.scan();
      become(
          "{'v':1,'profile':'mig-h200','overrides':{'0:2':{'health':'broken'}}}"
              .replace('\'', '"'));
      Scan.Seen seen = assertInstanceOf(Scan.Seen.class, fresh.scan());
      assertEquals(
          List.of("working", "working", "broken", "working"),
          seen.devices().stream().map(GoldenFacts::word).toList());
      assertEquals(Memory.ofGib(16), seen.devices().get(2).total().orElseThrow());
    }
  }

  @Test
  void tellsADriverThatIsNotThereFromOneOfAnotherVersion() {
    become("{\"v\":1,\"profile\":\"h200-x2\",\"driver\":\"not-loaded\"}");
    assertInstanceOf(Scan.DriverNotLoaded.class, source.scan());
    become("{\"v\":1,\"profile\":\"h200-x2\",\"driver\":\"mismatch\"}");
    assertInstanceOf(Scan.VersionMismatch.class, source.scan());
  }

  @Test
  void findsTheGpusOnceTheDriverIsLoaded() {
    become("{\"v\":1,\"profile\":\"h200-x2\",\"driver\":\"not-loaded\"}");
    assertInstanceOf(Scan.DriverNotLoaded.class, source.scan());
    become("{\"v\":1,\"profile\":\"h200-x2\"}");
    assertEquals(2, seen().devices().size());
  }

  @Test
  void answersASecondScanWhileOneHangsAndGoesOnAfterwards() throws Exception {
    seen();
    become("{\"v\":1,\"profile\":\"h200-x2\",\"hang\":true}");
    CompletableFuture<Scan> hanging = hanging();

    become("{\"v\":1,\"profile\":\"h200-x2\"}");
    Scan ended = hanging.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    assertEquals(2, assertInstanceOf(Scan.Seen.class, ended).devices().size());
    assertEquals(2, seen().devices().size());
  }

  @Test
  void closesUnderAHangingScanAndAnswersNothingAfterwards() throws Exception {
    seen();
    become("{\"v\":1,\"profile\":\"h200-x2\",\"hang\":true}");
    CompletableFuture<Scan> hanging = hanging();

    source.close();
    source.close();
    become("{\"v\":1,\"profile\":\"h200-x2\"}");
    hanging.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    assertEquals(1, assertInstanceOf(Scan.Failed.class, source.scan()).code());
  }

  /** Of two scans begun at once one is turned away, which shows that the other is in the driver. */
  private CompletableFuture<Scan> hanging() throws Exception {
    CompletableFuture<Scan> one = scanning();
    CompletableFuture<Scan> other = scanning();
    CompletableFuture.anyOf(one, other).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    CompletableFuture<Scan> away = one.isDone() ? one : other;
    CompletableFuture<Scan> hanging = one.isDone() ? other : one;
    assertEquals(10, assertInstanceOf(Scan.Failed.class, away.join()).code());
    assertFalse(hanging.isDone());
    return hanging;
  }

  private CompletableFuture<Scan> scanning() {
    CompletableFuture<Scan> scan = new CompletableFuture<>();
    Thread.ofPlatform().daemon().start(() -> scan.complete(source.scan()));
    return scan;
  }

  private void override(String overrides) {
    become(("{'v':1,'profile':'h200-x2','overrides':{" + overrides + "}}").replace('\'', '"'));
  }

  /** A machine of one GPU with some more fields. */
  static String device(String fields) {
    return ("{'v':1,'devices':[{'uuid':'"
            + A
            + "','model':'NVIDIA H200','memory':'143771Mi',"
            + fields
            + "}]}")
        .replace('\'', '"');
  }

  /** One look of a source that has seen nothing before. */
  private Scan.Seen fresh() {
    try (GpuSource fresh = open()) {
      return assertInstanceOf(Scan.Seen.class, fresh.scan());
    }
  }

  private Scan.Seen seen() {
    return assertInstanceOf(Scan.Seen.class, source.scan());
  }
}
