package io.gpumem.plugin.nvml;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The kernel's table of MIG capability nodes, {@code /proc/driver/nvidia-caps/mig-minors}, with
 * lines such as {@code gpu0/gi2/access 21} and {@code gpu0/gi2/ci0/access 22}. The numbers follow a
 * pattern today; the file is read all the same, for nothing promises the pattern. Its {@code gpuN}
 * is the device minor.
 */
record MigMinors(Map<String, Integer> minors) {

  MigMinors {
    minors = Map.copyOf(minors);
  }

  static MigMinors read(Path procfs) {
    Map<String, Integer> minors = new HashMap<>();
    for (String line : TextFile.lines(procfs.resolve("driver/nvidia-caps/mig-minors"))) {
      String[] words = line.strip().split("\\s+");
      if (words.length == 2 && words[1].matches("[0-9]{1,9}")) {
        minors.put(words[0], Integer.valueOf(words[1]));
      }
    }
    return new MigMinors(minors);
  }

  /** The GPU instance's and the compute instance's node; none when either is not in the table. */
  List<Integer> of(int gpuMinor, int gpuInstance, int computeInstance) {
    String instance = "gpu" + gpuMinor + "/gi" + gpuInstance;
    Integer gpu = minors.get(instance + "/access");
    Integer compute = minors.get(instance + "/ci" + computeInstance + "/access");
    return gpu == null || compute == null ? List.of() : List.of(gpu, compute);
  }
}
