package io.gpumem.extender.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.extender.http.fake.Attempt;
import io.gpumem.extender.http.fake.HttpSchedulerApi;
import io.gpumem.extender.http.fake.StandInScheduler;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.life.fake.RecordedFaults;
import io.gpumem.platform.time.SystemTime;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The scheduler's stand-in, the extender and the API server's stand-in, all over HTTP. */
class StandInSchedulerTest {

  private static final class Cluster implements AutoCloseable {
    final LiveExtender live = new LiveExtender();
    final List<Attempt> attempts = new CopyOnWriteArrayList<>();
    private final RecordedFaults faults = new RecordedFaults();
    private final SystemTime time = new SystemTime(faults);
    private final HttpSchedulerApi api = new HttpSchedulerApi(live.api.url());
    private final StandInScheduler scheduler;

    Cluster(long seed) {
      var setup =
          StandInScheduler.Setup.of(URI.create(live.url()), LiveExtender.KEYS)
              .withBackOff(Duration.ofMillis(20), Duration.ofMillis(200))
              .withSeed(seed);
      scheduler = new StandInScheduler(setup, api, time, attempts::add);
      scheduler.start();
    }

    String node(String pod) {
      return live.api
          .objects()
          .find(ObjectKey.pod(LiveExtender.TEAM, pod))
          .orElseThrow()
          .path("spec")
          .path("nodeName")
          .asString("");
    }

    JsonNode condition(String pod) {
      JsonNode status =
          live.api.objects().find(ObjectKey.pod(LiveExtender.TEAM, pod)).orElseThrow();
      return status
          .path("status")
          .path("conditions")
          .valueStream()
          .filter(each -> each.path("type").asString().equals("PodScheduled"))
          .findFirst()
          .orElseGet(LiveExtender.JSON::createObjectNode);
    }

    @Override
    public void close() throws Exception {
      scheduler.stop();
      api.close();
      time.close();
      live.close();
      faults.close();
    }
  }

  @Test
  void explainsInTheConditionWhyAPodWaitsAndBindsItWhenThereIsRoom() throws Exception {
    try (var cluster = new Cluster(1)) {
      cluster.live.node("n1", 8, 8);
      cluster.live.node("n2", 4);
      cluster.live.pod("a", "6");
      cluster.live.pod("b", "6");
      LiveExtender.await(() -> cluster.node("a").equals("n1") && cluster.node("b").equals("n1"));
      cluster.live.pod("c", "5");
      String message = "0/2 nodes are available: 2 Insufficient example.com/gpu-mem.";
      LiveExtender.await(() -> cluster.condition("c").path("message").asString("").equals(message));
      cluster.live.pod("d", "4");
      LiveExtender.await(() -> cluster.node("d").equals("n2"));
      cluster.live.delete("a");
      LiveExtender.await(() -> cluster.node("c").equals("n1"));
    }
  }

  @Test
  void countsFragmentedNodesApartFromFullOnes() throws Exception {
    try (var cluster = new Cluster(1)) {
      cluster.live.node("n1", 8, 8);
      cluster.live.pod("a", "5");
      cluster.live.pod("b", "5");
      LiveExtender.await(() -> cluster.node("a").equals("n1") && cluster.node("b").equals("n1"));
      cluster.live.node("n2", 2);
      cluster.live.pod("c", "6");
      LiveExtender.await(
          () ->
              cluster
                  .condition("c")
                  .path("message")
                  .asString("")
                  .equals(
                      "0/2 nodes are available: "
                          + "1 Insufficient example.com/gpu-mem, "
                          + "1 enough free gpu-mem on this node, but not on one GPU."));
      assertEquals("Unschedulable", cluster.condition("c").path("reason").asString());
    }
  }

  @Test
  void schedulesARandomLoadWithoutOversellingADevice() throws Exception {
    long seed = 7;
    try (var cluster = new Cluster(seed)) {
      var chance = new Random(seed);
      for (int i = 0; i < 3; i++) {
        cluster.live.node("n" + i, 16, 16);
      }
      List<String> alive = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        String name = "p" + i;
        cluster.live.pod(name, Integer.toString(1 + chance.nextInt(10)));
        alive.add(name);
        if (i % 4 == 3) {
          cluster.live.delete(alive.remove(chance.nextInt(alive.size())));
        }
      }
      LiveExtender.await(() -> everyPodIsSettled(cluster, alive));
      Map<DeviceUuid, Long> used = new TreeMap<>();
      for (String name : alive) {
        cluster
            .live
            .cards(name)
            .values()
            .forEach(each -> each.forEach((gpu, units) -> used.merge(gpu, units, Long::sum)));
      }
      assertEquals(6, used.size(), "seed " + seed + ": " + used);
      assertTrue(used.values().stream().allMatch(each -> each <= 16), "seed " + seed + ": " + used);
      assertEquals(List.of(), unexpected(cluster.attempts, alive));
    }
  }

  /** Two pods may pass filter for one place before either is bound; a deleted pod fails too. */
  private static List<Attempt> unexpected(List<Attempt> attempts, List<String> alive) {
    return attempts.stream()
        .filter(
            each ->
                each instanceof Attempt.Failed(var pod, String why)
                    && alive.contains(pod.name())
                    && !why.equals("the place was taken meanwhile"))
        .toList();
  }

  /** Bound, or told by its condition that there is no room. */
  private static boolean everyPodIsSettled(Cluster cluster, List<String> alive) {
    return alive.stream()
        .allMatch(
            name ->
                !cluster.node(name).isEmpty()
                    || cluster.condition(name).path("reason").asString("").equals("Unschedulable"));
  }
}
