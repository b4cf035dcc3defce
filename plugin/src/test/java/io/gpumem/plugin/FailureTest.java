package io.gpumem.plugin;

import static io.gpumem.plugin.PluginOnSockets.LIMIT;
import static io.gpumem.plugin.PluginOnSockets.RESOURCE;
import static io.gpumem.plugin.PluginOnSockets.eventually;
import static io.gpumem.plugin.PluginOnSockets.eventuallyEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What breaks around the plugin, and what still holds then. */
final class FailureTest {

  @TempDir Path root;

  @Test
  void writesAForgedAnnotationAnewWithinTwoSecondsAndCountsIt() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod a = all.bound("a", 10);
      // What will be forged was true once: planned, and not given yet.
      String summary = ApiSide.KEYS.summary();
      eventually(
          "the plan is published",
          () -> all.api.nodeAnnotation(summary).orElse("").contains("10/16"));
      all.run(a);
      eventuallyEquals(Map.of("a", Map.of("main", Map.of(all.card(a), 10L))), all.api::truth);
      String key = ApiSide.KEYS.allocations();
      String honest = all.api.nodeAnnotation(key).orElseThrow();

      all.api.annotateNode(key, "{\"v\":1,\"pods\":{}}");

      eventually(
          "the truth is back",
          Duration.ofSeconds(2),
          () -> all.api.nodeAnnotation(key).equals(Optional.of(honest)));
      assertEquals(1, all.metric("gpumem_publications_total", "forgery"));
    }
  }

  @Test
  void countsNoForgeryWhileNobodyForges() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      for (int i = 0; i < 5; i++) {
        KubeletPod pod = all.bound("p" + i, 2);
        all.run(pod);
        all.api.annotateNode("example.com/heartbeat", Integer.toString(i));
      }
      eventually("all is published", () -> all.api.truth().size() == 5);

      assertEquals(0, all.metric("gpumem_publications_total", "forgery"));
    }
  }

  @Test
  void answersTheKubeletWhileTheApiServerIsAway() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod a = all.bound("a", 10);
      KubeletPod b = all.bound("b", 10);
      all.run(a);

      all.api.server.unplugged(true);
      all.run(b);

      assertNotEquals(all.card(a), all.card(b));
      all.api.server.unplugged(false);
      eventuallyEquals(
          Map.of(
              "a",
              Map.of("main", Map.of(all.card(a), 10L)),
              "b",
              Map.of("main", Map.of(all.card(b), 10L))),
          all.api::truth);
    }
  }

  @Test
  void startsWithoutTheApiServerAndPublishesOnceItIsThere() throws Exception {
    try (PluginOnSockets all = new PluginOnSockets(root, CardFile.of(root, 16384))) {
      all.api.server.unplugged(true);
      all.start();
      assertTrue(all.kubelet.awaitAllocatable(RESOURCE, 16, LIMIT.multipliedBy(2)));

      all.api.server.unplugged(false);
      eventually(
          "the books are published", LIMIT.multipliedBy(2), () -> all.api.published().isPresent());
    }
  }

  @Test
  void answersTheKubeletWhileNvmlHangs() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      double scans = all.metric("gpumem_nvml_scans_total");
      all.cards.hang(true);
      eventually("scans stand still", () -> standsStill(all));
      assertTrue(all.metric("gpumem_nvml_scans_total") >= scans);

      all.run(all.bound("a", 10));

      assertEquals(16L, all.kubelet.allocatable().get(RESOURCE));
      all.cards.hang(false);
      eventually("scans go on", () -> !standsStill(all));
    }
  }

  /** Ten scan intervals without a scan. */
  private static boolean standsStill(PluginOnSockets all) throws Exception {
    double before = all.metric("gpumem_nvml_scans_total");
    Thread.sleep(500);
    return all.metric("gpumem_nvml_scans_total") == before;
  }

  @Test
  void takesTheFreeUnitsOfABadCardOutOfUseUntilItIsGoodAgain() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod a = all.bound("a", 10);
      all.run(a);
      DeviceUuid bad = all.card(a);
      eventuallyEquals(Map.of("a", Map.of("main", Map.of(bad, 10L))), all.api::truth);

      all.cards.broken(bad.equals(CardFile.uuid(0)) ? 0 : 1, "XID 79");
      assertTrue(all.kubelet.awaitAllocatable(RESOURCE, 26, LIMIT), "32 less the 6 free ones");
      assertEquals(32, all.kubelet.lists().getLast().devices());
      eventually("people are told", () -> all.api.events().toString().contains("XID 79"));

      KubeletPod b = all.bound("b", 6);
      all.run(b);
      assertNotEquals(bad, all.card(b));

      all.cards.mended(bad.equals(CardFile.uuid(0)) ? 0 : 1);
      assertTrue(all.kubelet.awaitAllocatable(RESOURCE, 32, LIMIT));
    }
  }

  @Test
  void keepsTheBooksOverItsOwnRestart() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384, 16384)) {
      KubeletPod a = all.bound("a", 10);
      all.run(a);
      var truth = Map.of("a", Map.of("main", Map.of(all.card(a), 10L)));
      eventuallyEquals(truth, all.api::truth);

      assertEquals(0, all.stop());
      assertEquals(List.of(), sockets(all), "sockets are removed at the end");
      int before = all.kubelet.lists().size();
      all.start();
      all.awaitServing();

      assertTrue(all.kubelet.awaitAllocatable(RESOURCE, 32, LIMIT));
      eventuallyEquals(truth, all.api::truth);
      assertEquals(Map.of(all.card(a), 10L), all.api.used());
      all.kubelet
          .lists()
          .subList(before, all.kubelet.lists().size())
          .forEach(
              list ->
                  assertTrue(
                      list.message().getDevicesList().stream()
                          .allMatch(device -> device.getHealth().equals("Healthy")),
                      "a restart makes no device unhealthy"));
      KubeletPod b = all.bound("b", 10);
      all.run(b);
      assertNotEquals(all.card(a), all.card(b));
    }
  }

  @Test
  void goesOnServingWhenACardAppearsThatIsMoreThanTheKubeletBears() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      all.cards.plus(6_000 << 10).plus(8192);

      assertTrue(all.kubelet.awaitAllocatable(RESOURCE, 24, LIMIT), "the third card is sold");
      assertEquals(1, all.metric("gpumem_devices_left_out"));
      assertEquals(1, all.logged().stream().filter(line -> line.contains("left out")).count());
      assertEquals(1, all.kubelet.openStreams());
      all.run(all.bound("a", 10));
    }
  }

  @Test
  void sellsNoMoreThanThereIsWhenItsInventoryWasForgedWhileItWasDown() throws Exception {
    try (PluginOnSockets all = PluginOnSockets.serving(root, 16384)) {
      KubeletPod a = all.bound("a", 10);
      all.run(a);
      eventuallyEquals(Map.of("a", Map.of("main", Map.of(all.card(a), 10L))), all.api::truth);
      String key = ApiSide.KEYS.devices();
      String honest = all.api.nodeAnnotation(key).orElseThrow();
      all.stop();

      all.api.annotateNode(key, honest.replace("16384Mi", "65536Mi").replace(":16,", ":64,"));
      all.start();
      all.awaitServing();

      eventually(
          "the truth is back", () -> all.api.nodeAnnotation(key).equals(Optional.of(honest)));
      assertEquals(16L, all.kubelet.allocatable().get(RESOURCE));
    }
  }

  private static List<String> sockets(PluginOnSockets all) throws Exception {
    try (Stream<Path> files = Files.list(all.kubelet.settings().devicePlugins())) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("gpumem-"))
          .toList();
    }
  }
}
