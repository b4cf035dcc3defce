package io.gpumem.plugin;

import static io.gpumem.plugin.PluginOnSockets.LIMIT;
import static io.gpumem.plugin.PluginOnSockets.RESOURCE;
import static io.gpumem.plugin.PluginOnSockets.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceId;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import io.gpumem.plugin.kubelet.fake.ListMessage;
import io.gpumem.plugin.kubelet.fake.Restart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each list replaces the kubelet's, so each must be whole, whatever is wrong with the cards. */
final class WholeListTest {

  private static final int CARDS = 4;
  private static final int UNITS = 8;
  private static final int STEPS = 12;
  private static final List<String> STATES = List.of("working", "broken", "lost", "removed");

  @TempDir Path root;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void neverDropsAnIdWhateverHappensToTheCards(long seed) throws Exception {
    Random chance = new Random(seed);
    int[] mib = {UNITS * 1024, UNITS * 1024, UNITS * 1024, UNITS * 1024};
    try (PluginOnSockets all = PluginOnSockets.serving(root, mib)) {
      KubeletPod pod = all.bound("a", 5);
      all.run(pod);
      eventually("the truth is out", () -> all.api.truth().containsKey("a"));
      int held = index(all, pod);
      String[] states = {"working", "working", "working", "working"};
      for (int step = 0; step < STEPS; step++) {
        states[chance.nextInt(CARDS)] = STATES.get(chance.nextInt(STATES.size()));
        write(all, states);
        if (chance.nextInt(6) == 0) {
          all.kubelet.restart(Restart.plain());
        }
        long expected = allocatable(states, held);
        assertTrue(
            all.kubelet.awaitAllocatable(RESOURCE, expected, LIMIT),
            () -> "seed " + seed + ": " + List.of(states) + " " + all.kubelet.allocatable());
      }
      List<ListMessage> lists = all.kubelet.lists();
      for (ListMessage list : lists) {
        assertEquals(everyId(), ids(list), "seed " + seed);
      }
      assertTrue(lists.stream().anyMatch(WholeListTest::hasUnhealthy), "seed " + seed);
    }
  }

  /** What is left for new pods, and what the pod holds on a bad card: a held ID never turns. */
  private static long allocatable(String[] states, int held) {
    long units = 0;
    for (int card = 0; card < CARDS; card++) {
      units += states[card].equals("working") ? UNITS : card == held ? 5 : 0;
    }
    return units;
  }

  private static int index(PluginOnSockets all, KubeletPod pod) {
    int index = 0;
    while (!CardFile.uuid(index).equals(all.card(pod))) {
      index++;
    }
    return index;
  }

  private static void write(PluginOnSockets all, String[] states) throws IOException {
    List<String> cards = new ArrayList<>();
    for (int card = 0; card < CARDS; card++) {
      cards.add(
          "{\"uuid\": \"%s\", \"model\": \"Card\", \"memory\": \"%dGi\", \"health\": \"%s\"}"
              .formatted(CardFile.uuid(card), UNITS, states[card]));
    }
    Path beside = all.cards.path().resolveSibling("machine.next");
    Files.writeString(beside, "{\"v\": 1, \"devices\": [" + String.join(", ", cards) + "]}");
    Files.move(beside, all.cards.path(), StandardCopyOption.ATOMIC_MOVE);
  }

  private static Set<String> everyId() {
    Set<String> ids = new TreeSet<>();
    for (int card = 0; card < CARDS; card++) {
      for (int number = 0; number < UNITS; number++) {
        ids.add(new DeviceId(CardFile.uuid(card), number).toString());
      }
    }
    return ids;
  }

  private static Set<String> ids(ListMessage list) {
    Set<String> ids = new TreeSet<>();
    list.message().getDevicesList().forEach(device -> ids.add(device.getID()));
    assertEquals(list.devices(), ids.size(), "an ID twice");
    return ids;
  }

  private static boolean hasUnhealthy(ListMessage list) {
    return list.message().getDevicesList().stream()
        .anyMatch(device -> device.getHealth().equals("Unhealthy"));
  }
}
