package io.gpumem.plugin.nvml;

import io.gpumem.core.units.Memory;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a scan of each profile has to tell, a line for each device. */
final class GoldenFacts {

  private static final Map<String, List<String>> GOLDEN =
      Map.of(
          "h200",
          List.of("0 GPU…01 minor 0 NVIDIA H200 143771Mi-616Mi used 0Mi numa ? working"),
          "h200-x2",
          List.of(
              "0 GPU…01 minor 0 NVIDIA H200 143771Mi-616Mi used 0Mi numa ? working",
              "1 GPU…02 minor 1 NVIDIA H200 143771Mi-616Mi used 0Mi numa ? working"),
          "card-16gib",
          List.of("0 GPU…10 minor 0 Simulated 16 GiB 16Gi-0Mi used 0Mi numa 0 working"),
          "t4",
          List.of("0 GPU…20 minor 0 Tesla T4 15Gi-256Mi used 0Mi numa 0 working"),
          "mig-h200",
          List.of(
              "0 MIG…31 minor 0 NVIDIA H200 71424Mi-0Mi used 0Mi numa ? working"
                  + " 3g.71gb 2/0 of GPU…30 caps [21, 22]",
              "1 MIG…32 minor 0 NVIDIA H200 33280Mi-0Mi used 0Mi numa ? working"
                  + " 2g.35gb 3/0 of GPU…30 caps [30, 31]",
              "2 MIG…33 minor 0 NVIDIA H200 16Gi-0Mi used 0Mi numa ? working"
                  + " 1g.18gb 9/0 of GPU…30 caps [84, 85]",
              "3 MIG…34 minor 0 NVIDIA H200 16Gi-0Mi used 0Mi numa ? working"
                  + " 1g.18gb 10/0 of GPU…30 caps [93, 94]"),
          "mixed",
          List.of(
              "0 GPU…45 minor 0 NVIDIA H200 143771Mi-616Mi used 0Mi numa 1 working",
              "1 MIG…41 minor 1 NVIDIA H200 71424Mi-0Mi used 0Mi numa 0 working"
                  + " 3g.71gb 1/0 of GPU…40 caps [147, 148]",
              "2 MIG…42 minor 1 NVIDIA H200 71424Mi-0Mi used 0Mi numa 0 working"
                  + " 3g.71gb 2/0 of GPU…40 caps [156, 157]"));

  private GoldenFacts() {}

  static List<String> lines(Scan.Seen seen) {
    return seen.devices().stream().map(GoldenFacts::line).toList();
  }

  static List<String> of(String profile) {
    return Objects.requireNonNull(GOLDEN.get(profile), profile);
  }

  private static String line(GpuFacts device) {
    return device.index()
        + " "
        + shortName(device.uuid().text())
        + " minor "
        + device.minor()
        + " "
        + device.model()
        + " "
        + device.total().map(Memory::toString).orElse("?")
        + "-"
        + device.reserved()
        + " used "
        + device.used()
        + " numa "
        + (device.numa().isPresent() ? device.numa().getAsInt() : "?")
        + " "
        + word(device)
        + device.mig().map(GoldenFacts::line).orElse("");
  }

  private static String line(MigFacts mig) {
    return " "
        + mig.profile()
        + " "
        + mig.gpuInstance()
        + "/"
        + mig.computeInstance()
        + " of "
        + shortName(mig.parent().text())
        + " caps "
        + mig.capMinors();
  }

  private static String shortName(String uuid) {
    return uuid.substring(0, 3) + "…" + uuid.substring(uuid.length() - 2);
  }

  static String word(GpuFacts device) {
    return switch (device.condition()) {
      case Condition.Working _ -> "working";
      case Condition.Broken _ -> "broken";
    };
  }
}
