package io.gpumem.demo.hardware;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a CUDA program saw, as {@code demo/src/hardware/cuda-probe.c} prints it.
 *
 * @param init what cuInit returned
 * @param driver the CUDA version of the driver, such as 13000
 */
record Sight(int init, int driver, List<Gpu> gpus) {

  private static final Pattern HEAD =
      Pattern.compile("init=(\\d{1,9}) driver=(\\d{1,9}) devices=(\\d{1,9})");
  private static final Pattern DEVICE =
      Pattern.compile("device=\\d{1,9} uuid=(\\S+) total=(\\d{1,18}) taken=(\\d{1,18}) name=(.*)");

  /**
   * A GPU that was seen and used.
   *
   * @param total the bytes that CUDA says it has
   * @param taken the bytes that the program took and gave back
   */
  record Gpu(String uuid, long total, long taken, String name) {}

  Sight {
    gpus = List.copyOf(gpus);
  }

  /** Reads what the probe printed; empty if it does not say of each device what it should. */
  static Optional<Sight> parse(List<String> lines) {
    Optional<Matcher> head = lines.stream().map(HEAD::matcher).filter(Matcher::matches).findFirst();
    List<Gpu> gpus = new ArrayList<>();
    for (String line : lines) {
      Matcher device = DEVICE.matcher(line);
      if (device.matches()) {
        gpus.add(
            new Gpu(
                device.group(1),
                Long.parseLong(device.group(2)),
                Long.parseLong(device.group(3)),
                device.group(4)));
      }
    }
    return head.filter(found -> Integer.parseInt(found.group(3)) == gpus.size())
        .map(
            found ->
                new Sight(
                    Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)), gpus));
  }

  List<String> uuids() {
    return gpus.stream().map(Gpu::uuid).toList();
  }

  /** Whether there were any and each was used, not only seen. */
  boolean isUsed() {
    return !gpus.isEmpty() && gpus.stream().allMatch(gpu -> gpu.taken() > 0);
  }
}
