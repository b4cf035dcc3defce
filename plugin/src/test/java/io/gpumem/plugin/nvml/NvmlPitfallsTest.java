package io.gpumem.plugin.nvml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.Memory;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What NVML does that is easily taken for something else, each shown through the C ABI. */
final class NvmlPitfallsTest {

  private static final Memory GIB = Memory.ofGib(1);

  @TempDir Path folder;

  private ReplayedNvml replay(String machineFile) {
    return new ReplayedNvml(folder.resolve("replayed"), ReplayedNvml.Variant.NEW)
        .become(machineFile.replace('\'', '"'));
  }

  private ReplayedNvml profile(String name) {
    return replay("{'v':1,'profile':'" + name + "'}");
  }

  /** A machine of GPUs with the given minors, in the order of the bus. */
  private ReplayedNvml cards(int... minors) {
    StringBuilder devices = new StringBuilder();
    for (int minor : minors) {
      devices.append(devices.isEmpty() ? "" : ",");
      devices.append("{'memory':'16Gi','minor':").append(minor).append('}');
    }
    return replay("{'v':1,'devices':[" + devices + "]}");
  }

  private static Scan.Seen seen(GpuSource source) {
    return assertInstanceOf(Scan.Seen.class, source.scan());
  }

  private static Scan.Seen onlyLook(ReplayedNvml replayed) {
    try (GpuSource source = replayed.source()) {
      return seen(source);
    }
  }

  private static List<String> profiles(Scan.Seen seen) {
    return seen.devices().stream().map(device -> device.mig().orElseThrow().profile()).toList();
  }

  private static List<Long> units(Scan.Seen seen) {
    return seen.devices().stream().map(device -> device.usable().orElseThrow().units(GIB)).toList();
  }

  private static boolean works(GpuFacts device) {
    return device.condition() instanceof Condition.Working;
  }

  /** The library refuses every other version of the struct, and then v1 would hide the reserve. */
  @Test
  void pitfall2AsksForMemoryWithTheVersionThatIsTaken() {
    ReplayedNvml replayed = profile("h200");

    GpuFacts card = onlyLook(replayed).devices().getFirst();
    assertEquals(Memory.ofMib(616), card.reserved());
    assertFalse(replayed.calls().contains("nvmlDeviceGetMemoryInfo"));
  }

  @ParameterizedTest
  @ValueSource(ints = {13, 25})
  void pitfall2ReadsARefusedVersionNeitherAsSuccessNorAsForEver(int code) {
    ReplayedNvml replayed = profile("h200").put("code.nvmlDeviceGetMemoryInfo_v2", code);
    try (GpuSource source = replayed.source()) {
      GpuFacts first = seen(source).devices().getFirst();
      assertEquals(Memory.ofMib(143771), first.total().orElseThrow());
      assertEquals(Memory.ZERO, first.reserved());

      replayed.remove("code.");
      assertEquals(Memory.ofMib(616), seen(source).devices().getFirst().reserved());
    }
  }

  @Test
  void pitfall2TakesTheFirstFormFromALibraryThatHasNoOther() {
    ReplayedNvml old =
        new ReplayedNvml(folder.resolve("old"), ReplayedNvml.Variant.WITHOUT_MEMORY_V2)
            .become("{\"v\":1,\"profile\":\"h200\"}");

    GpuFacts card = onlyLook(old).devices().getFirst();
    assertEquals(Memory.ofMib(143771), card.total().orElseThrow());
    assertEquals(Memory.ZERO, card.reserved());
    assertEquals(Memory.ofMib(616), card.used());
    assertTrue(works(card));
  }

  @Test
  void pitfall3HasNothingUsedOnAnIdleGpu() {
    GpuFacts card = onlyLook(profile("h200")).devices().getFirst();
    assertEquals(Memory.ZERO, card.used());
    assertEquals(Memory.ofMib(616), card.reserved());
  }

  @Test
  void pitfall4SellsTheTotalWithoutTheReserve() {
    Scan.Seen seen = onlyLook(profile("h200"));
    assertEquals(List.of(139L), units(seen));
    assertEquals(Memory.ofMib(143155), seen.devices().getFirst().usable().orElseThrow());
  }

  @Test
  void pitfall5SizesAGpuTheSameUnderLoad() {
    ReplayedNvml replayed = profile("h200").put("gpu.0.used", 100L << 30);
    assertEquals(List.of(139L), units(onlyLook(replayed)));
  }

  @Test
  void pitfall6TakesAllOnesForNoInstance() {
    ReplayedNvml replayed = profile("mig-h200").put("gpu.0.slot.1.ci", 0xFFFFFFFFL);

    Scan.Seen seen = onlyLook(replayed);
    assertEquals(List.of("3g.71gb", "1g.18gb", "1g.18gb"), profiles(seen));
    assertEquals(1, seen.leftOut().size());
  }

  @Test
  void pitfall6ReadsAmountsAboveALongAsUnsigned() {
    ReplayedNvml replayed = profile("h200").put("gpu.0.used", "0xFFFFFFFFFFFFFFFF");

    GpuFacts card = onlyLook(replayed).devices().getFirst();
    assertEquals(Memory.ofMib(1L << 44), card.used());
    assertEquals(Memory.ofMib(143155), card.usable().orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 15, 17, 999, 4711})
  void pitfall10TakesSevenGpusWhenTheEighthCantBeOpened(int code) {
    ReplayedNvml replayed = cards(0, 1, 2, 3, 4, 5, 6, 7);
    replayed.put("code.nvmlDeviceGetHandleByIndex_v2.gpu.3", code);

    Scan.Seen seen = onlyLook(replayed);
    assertEquals(
        List.of(0, 1, 2, 4, 5, 6, 7), seen.devices().stream().map(GpuFacts::index).toList());
    assertTrue(seen.devices().stream().allMatch(NvmlPitfallsTest::works));
    assertEquals(1, seen.leftOut().size());
    assertTrue(seen.leftOut().getFirst().why().contains("NVML " + code));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvmlDeviceGetUUID",
        "nvmlDeviceGetMigMode",
        "nvmlDeviceGetMemoryInfo_v2",
        "nvmlDeviceGetFieldValues",
        "nvmlDeviceGetHandleByIndex_v2"
      })
  void pitfall10KeepsAKnownGpuWhicheverCallSaysThatItIsLost(String call) {
    ReplayedNvml replayed = cards(0, 1, 2);
    try (GpuSource source = replayed.source()) {
      Scan.Seen before = seen(source);
      replayed.put("code." + call + ".gpu.1", 15);

      Scan.Seen after = seen(source);
      assertEquals(
          List.of(true, false, true),
          after.devices().stream().map(NvmlPitfallsTest::works).toList());
      assertEquals(before.devices().get(1).broken("x"), after.devices().get(1).broken("x"));
    }
  }

  @Test
  void pitfall11TellsAGpuThatNvmlHides() {
    ReplayedNvml replayed = profile("h200-x2").put("gpus", 0);

    Scan.Seen seen = onlyLook(replayed);
    assertEquals(List.of(), seen.devices());
    assertEquals(
        List.of("PCI 0000:00:06.0", "PCI 0000:00:07.0"),
        seen.leftOut().stream().map(LeftOut::what).toList());
  }

  @Test
  void pitfall11NamesTheKernelDriverThatHasAGpu() {
    ReplayedNvml replayed = profile("h200");
    replayed.pciDevice("0000:65:00.0", "0x030000", 0, "vfio-pci");
    replayed.pciDevice("0000:66:00.0", "0x068000", 0, "nvidia-nvswitch");

    Scan.Seen seen = onlyLook(replayed);
    assertEquals(1, seen.devices().size());
    assertEquals(1, seen.leftOut().size());
    assertEquals("PCI 0000:65:00.0", seen.leftOut().getFirst().what());
    assertTrue(seen.leftOut().getFirst().why().contains("vfio-pci"));
  }

  @Test
  void pitfall11DoesNotTellAGpuTwiceThatCantBeOpened() {
    ReplayedNvml replayed = profile("h200-x2").put("code.nvmlDeviceGetHandleByIndex_v2.gpu.0", 4);

    assertEquals(
        List.of("GPU 0"), onlyLook(replayed).leftOut().stream().map(LeftOut::what).toList());
  }

  @Test
  void pitfall12FindsMigDevicesBehindEmptySlots() {
    Scan.Seen seen =
        onlyLook(
            replay(
                GpuSourceContract.device(
                    "'mig':[{'slot':0,'profile':'1g.18gb','gpuInstance':7,'memory':'16Gi'},"
                        + "{'slot':2,'profile':'1g.18gb','gpuInstance':9,'memory':'16Gi'},"
                        + "{'slot':6,'profile':'1g.18gb','gpuInstance':13,'memory':'16Gi'}]")));

    assertEquals(
        List.of(7, 9, 13),
        seen.devices().stream().map(device -> device.mig().orElseThrow().gpuInstance()).toList());
    assertEquals(List.of(), seen.leftOut());
  }

  @Test
  void pitfall12KeepsAKnownMigDeviceWhoseSlotCantBeRead() {
    ReplayedNvml replayed = profile("mig-h200");
    try (GpuSource source = replayed.source()) {
      seen(source);
      replayed.put("code.nvmlDeviceGetMigDeviceHandleByIndex.gpu.0.slot.2", 4);

      Scan.Seen seen = seen(source);
      assertEquals(
          List.of(true, true, false, true),
          seen.devices().stream().map(NvmlPitfallsTest::works).toList());
    }
  }

  @Test
  void pitfall13TakesMigThatIsOffForNoFault() {
    ReplayedNvml replayed = profile("h200-x2").remove("gpu.1.mig");

    Scan.Seen seen = onlyLook(replayed);
    assertEquals(
        List.of(true, true), seen.devices().stream().map(NvmlPitfallsTest::works).toList());
    assertEquals(List.of(), seen.leftOut());
    assertFalse(replayed.calls().contains("nvmlDeviceGetMigDeviceHandleByIndex"));
    assertFalse(replayed.calls().contains("nvmlDeviceGetGpuInstanceId"));
  }

  /** Whether the memory is the GPU's or its MIG devices' is then unknown. */
  @Test
  void pitfall13SellsNothingOfAGpuWhoseMigModeCantBeRead() {
    ReplayedNvml replayed = profile("mixed").put("code.nvmlDeviceGetMigMode.gpu.0", 999);

    Scan.Seen seen = onlyLook(replayed);
    assertEquals(1, seen.devices().size());
    assertEquals(1, seen.leftOut().size());
  }

  @Test
  void pitfall14HasNoDeviceWhereMigIsOnWithoutInstances() {
    ReplayedNvml replayed = profile("h200-x2").put("gpu.0.mig", 1);

    Scan.Seen seen = onlyLook(replayed);
    assertEquals(1, seen.devices().size());
    assertEquals(List.of(), seen.leftOut());
  }

  @Test
  void pitfall15SizesMigDevicesByTheirMemoryAndNotByTheirName() {
    assertEquals(List.of(69L, 32L, 16L, 16L), units(onlyLook(profile("mig-h200"))));
    ReplayedNvml replayed = profile("mig-h200");
    replayed.put("gpu.0.slot.3.reserved", 1).put("gpu.0.slot.3.name", "NVIDIA H200 MIG 7g.141gb");
    assertEquals(List.of(69L, 32L, 16L, 15L), units(onlyLook(replayed)));
  }

  @Test
  void pitfall16AsksTheParentForWhatAMigHandleRefuses() {
    ReplayedNvml replayed = profile("mixed");

    Scan.Seen seen = onlyLook(replayed);
    assertEquals(List.of(0, 1, 1), seen.devices().stream().map(GpuFacts::minor).toList());
    assertEquals(2, replayed.calls().stream().filter("nvmlDeviceGetMinorNumber"::equals).count());
    assertEquals(2, replayed.calls().stream().filter("nvmlDeviceGetPciInfo_v3"::equals).count());
  }

  @Test
  void pitfall17TakesAnInstanceMadeAnewForAnotherDevice() {
    ReplayedNvml replayed = profile("mig-h200");
    try (GpuSource source = replayed.source()) {
      Scan.Seen before = seen(source);
      replayed.put("gpu.0.slot.0.uuid", "MIG-00000000-0000-4000-8000-0000000000ff");

      Scan.Seen after = seen(source);
      assertEquals(4, after.devices().size());
      assertNotEquals(before.devices().getFirst().uuid(), after.devices().getFirst().uuid());
      assertEquals(before.devices().subList(1, 4), after.devices().subList(1, 4));
    }
  }

  @Test
  void pitfall17FollowsInstancesThatSwapTheirSlots() {
    ReplayedNvml replayed =
        replay(
            GpuSourceContract.device(
                "'mig':[{'slot':0,'uuid':'MIG-a','profile':'1g.18gb','gpuInstance':7,"
                    + "'memory':'16Gi'},{'slot':1,'uuid':'MIG-b','profile':'2g.35gb',"
                    + "'gpuInstance':3,'memory':'32Gi'}]"));
    try (GpuSource source = replayed.source()) {
      Scan.Seen before = seen(source);
      replayed.become(
          GpuSourceContract.device(
              "'mig':[{'slot':1,'uuid':'MIG-a','profile':'1g.18gb','gpuInstance':7,"
                  + "'memory':'16Gi'},{'slot':0,'uuid':'MIG-b','profile':'2g.35gb',"
                  + "'gpuInstance':3,'memory':'32Gi'}]"));
      assertEquals(before, seen(source));
    }
  }

  @Test
  void pitfall22TellsAMismatchAsFinalWithBothVersions() {
    Scan.VersionMismatch mismatch =
        assertInstanceOf(
            Scan.VersionMismatch.class,
            replay("{'v':1,'profile':'h200','driver':'mismatch'}").source().scan());
    assertTrue(mismatch.why().contains("13.580.159.04"), mismatch::why);
    assertTrue(mismatch.why().contains("575.57.08"), mismatch::why);
    assertEquals(1, mismatch.why().lines().count());
  }

  @Test
  void pitfall22TellsADriverThatIsNotLoadedAsPassing() {
    ReplayedNvml replayed = replay("{'v':1,'profile':'h200','driver':'not-loaded'}");
    try (GpuSource source = replayed.source()) {
      assertInstanceOf(Scan.DriverNotLoaded.class, source.scan());
      replayed.put("init", 0);
      assertEquals(1, seen(source).devices().size());
    }
  }

  /**
   * A driver replaced under an open session shows in the calls first and in the next start then.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 15, 999})
  void pitfall22FindsAMismatchBehindASessionThatDied(int code) {
    ReplayedNvml replayed = profile("h200");
    try (GpuSource source = replayed.source()) {
      seen(source);
      replayed.put("code.nvmlDeviceGetCount_v2", code).put("init", 18);
      assertEquals(code, assertInstanceOf(Scan.Failed.class, source.scan()).code());
      assertInstanceOf(Scan.VersionMismatch.class, source.scan());
    }
  }

  @Test
  void pitfall23TellsIndexAndMinorApart() {
    Scan.Seen seen = onlyLook(cards(3, 1, 0, 2));
    assertEquals(List.of(0, 1, 2, 3), seen.devices().stream().map(GpuFacts::index).toList());
    assertEquals(List.of(3, 1, 0, 2), seen.devices().stream().map(GpuFacts::minor).toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  void pitfall33TellsNoNumaNodeWhereTheKernelKnowsNone(int node) {
    ReplayedNvml replayed = replay("{'v':1,'devices':[{'memory':'16Gi','numa':" + node + "}]}");
    assertEquals(
        node < 0 ? OptionalInt.empty() : OptionalInt.of(node),
        onlyLook(replayed).devices().getFirst().numa());
  }

  @Test
  void pitfall33FindsTheNumaNodeInALargeDomain() {
    ReplayedNvml replayed =
        replay("{'v':1,'devices':[{'memory':'16Gi','numa':1,'bus':'00010000:9B:00.0'}]}");
    assertEquals(OptionalInt.of(1), onlyLook(replayed).devices().getFirst().numa());
    assertEquals("10000:9b:00.0", PciAddress.parse("00010000:9B:00.0").orElseThrow().toString());
  }
}
