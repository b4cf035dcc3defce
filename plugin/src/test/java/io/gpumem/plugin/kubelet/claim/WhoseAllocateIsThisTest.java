package io.gpumem.plugin.kubelet.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.plugin.allocate.Allocator.Matching;
import io.gpumem.plugin.kubelet.claim.TwoDevices.Bound;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Allocate carries device IDs and no pod. The kubelet may call in another order than the pods were
 * bound, and before the plugin's watch shows a reservation. Equal requests may swap devices, unlike
 * ones may not, for they fill both devices to the last unit.
 */
class WhoseAllocateIsThisTest {

  private static final int SEEDS = 200;

  /** The seeds mostly wait for late reservations, so many run at once. */
  private static final int AT_ONCE = 25;

  private static final int NO_RESTART = -1;

  /** One played seed: empty when all was well, else what was wrong. */
  private interface Play {
    List<String> of(long seed) throws InterruptedException;
  }

  @Test
  void equalPodsMaySwapAndNothingElseHappens() throws Exception {
    assertEquals(List.of(), played(seed -> play(seed, equals(seed), Matching.ON, NO_RESTART)));
  }

  @Test
  void unlikePodsThatFillBothDevicesAreNeverRefused() throws Exception {
    assertEquals(List.of(), played(seed -> play(seed, unlikes(seed), Matching.ON, NO_RESTART)));
  }

  @Test
  void aRestartWithFiveOutstandingChangesNothing() throws Exception {
    assertEquals(List.of(), played(seed -> play(seed, unlikes(seed), Matching.ON, 0)));
    assertEquals(List.of(), played(seed -> play(seed, equals(seed), Matching.ON, 3)));
  }

  @Test
  void withoutMatchingUnlikePodsAreRefused() throws Exception {
    List<String> wrong = played(seed -> play(seed, unlikes(seed), Matching.OFF, NO_RESTART));
    assertTrue(
        wrong.stream().anyMatch(line -> line.contains("UnexpectedAdmissionError")),
        "the suite would not notice if matching were gone");
  }

  @Test
  void theEndOfASwappedPodFreesWhereItReallyWas() throws InterruptedException {
    for (long seed = 0; seed < 20; seed++) {
      TwoDevices node = new TwoDevices(seed, Matching.ON);
      Bound onA = TwoDevices.pod("a", 4, TwoDevices.A);
      Bound onB = TwoDevices.pod("b", 4, TwoDevices.B);
      assertEquals(List.of(), node.play(List.of(onB, onA), NO_RESTART));
      DeviceUuid really = node.placeOf(onA);
      node.end(onA);
      assertEquals(16, node.free(really), "seed " + seed);
      DeviceUuid other = really.equals(TwoDevices.A) ? TwoDevices.B : TwoDevices.A;
      assertEquals(12, node.free(other), "seed " + seed);
    }
  }

  private static List<Bound> equals(long seed) {
    Random random = new Random(seed);
    List<DeviceUuid> places = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      places.add(TwoDevices.A);
      places.add(TwoDevices.B);
    }
    Collections.shuffle(places, random);
    List<Bound> pods = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      pods.add(TwoDevices.pod("p" + i, 4, places.get(i)));
    }
    return pods;
  }

  private static List<Bound> unlikes(long seed) {
    List<Bound> pods =
        new ArrayList<>(
            List.of(
                TwoDevices.pod("nine", 9, TwoDevices.A),
                TwoDevices.pod("seven", 7, TwoDevices.A),
                TwoDevices.pod("six-1", 6, TwoDevices.B),
                TwoDevices.pod("six-2", 6, TwoDevices.B),
                TwoDevices.pod("four", 4, TwoDevices.B)));
    Collections.shuffle(pods, new Random(seed));
    return pods;
  }

  private static List<String> play(
      long seed, List<Bound> pods, Matching matching, int restartBefore)
      throws InterruptedException {
    TwoDevices node = new TwoDevices(seed, matching);
    List<String> wrong = new ArrayList<>(node.play(pods, restartBefore));
    Map<String, Map<DeviceUuid, Long>> truth = node.truth();
    for (DeviceUuid device : List.of(TwoDevices.A, TwoDevices.B)) {
      long used = truth.values().stream().mapToLong(each -> each.getOrDefault(device, 0L)).sum();
      if (wrong.isEmpty() && used != TwoDevices.UNITS) {
        wrong.add(device + " has " + used + " units in use");
      }
    }
    if (!truth.equals(node.books())) {
      wrong.add("the kubelet's table " + truth + " but books " + node.books());
    }
    return wrong;
  }

  private static List<String> played(Play play) throws InterruptedException, ExecutionException {
    List<String> wrong = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE)) {
      List<Future<List<String>>> plays = new ArrayList<>();
      for (long seed = 0; seed < SEEDS; seed++) {
        long each = seed;
        plays.add(executor.submit(() -> play.of(each)));
      }
      for (int seed = 0; seed < SEEDS; seed++) {
        for (String line : plays.get(seed).get()) {
          wrong.add("seed " + seed + ": " + line);
        }
      }
    }
    return wrong;
  }
}
