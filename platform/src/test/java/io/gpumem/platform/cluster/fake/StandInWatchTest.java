package io.gpumem.platform.cluster.fake;

import static io.gpumem.platform.cluster.fake.Requests.assertRefused;
import static io.gpumem.platform.cluster.fake.Requests.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The stand-in's lists and watches, as the real server makes them. */
final class StandInWatchTest {

  private static final String PODS = Requests.PODS;

  private final StandInApiServer server = StandInApiServer.start();
  private final Http http = new Http(server.url());

  @AfterEach
  void close() {
    server.close();
  }

  private String createPod(String name) throws Exception {
    Http.Answer made = http.post(PODS, pod(name));
    assertEquals(201, made.code(), made.body().toString());
    return made.body().path("metadata").path("uid").asString();
  }

  @Test
  void showsAnObjectThatLeavesASelectionAsDeleted() throws Exception {
    createPod("a");
    String version = http.get(PODS + "/a").version();
    assertEquals(200, http.patch(PODS + "/a/status", "{\"status\":{\"phase\":\"Failed\"}}").code());
    String selected =
        "/api/v1/pods?watch=1&timeoutSeconds=5&fieldSelector=status.phase!%3DSucceeded,"
            + "status.phase!%3DFailed&resourceVersion="
            + version;
    try (Http.Watch watch = http.watch(selected)) {
      JsonNode event = watch.next();
      assertEquals("DELETED", event.path("type").asString());
      assertEquals("Pending", event.at("/object/status/phase").asString());
    }
  }

  @Test
  void beginsAWatchWithoutAVersionWithWhatIsThere() throws Exception {
    createPod("a");
    createPod("b");
    try (Http.Watch watch = http.watch("/api/v1/pods?watch=1&timeoutSeconds=5")) {
      assertEquals("ADDED a", watch.line());
      assertEquals("ADDED b", watch.line());
      createPod("c");
      assertEquals("ADDED c", watch.line());
    }
  }

  @Test
  void saysThatAPlaceInTheHistoryIsForgotten() throws Exception {
    createPod("a");
    String version = http.get(PODS + "/a").version();
    createPod("b");
    server.forgetHistory();
    String path = "/api/v1/pods?watch=1&timeoutSeconds=5&resourceVersion=" + version;
    try (Http.Watch watch = http.watch(path)) {
      JsonNode event = watch.next();
      assertEquals("ERROR", event.path("type").asString());
      assertEquals(410, event.at("/object/code").asInt());
      assertEquals("Expired", event.at("/object/reason").asString());
      assertTrue(watch.ended());
    }
    server.goneAsStatus(true);
    assertRefused(410, "Expired", "too old resource version: " + version, http.get(path));
  }

  @Test
  void forgetsChangesBeyondTheSizeOfItsHistory() throws Exception {
    var setup = new StandInApiServer.Setup(0, 1, 10, Duration.ofSeconds(5));
    try (StandInApiServer small = StandInApiServer.start(setup)) {
      Http client = new Http(small.url());
      String first = client.post(PODS, pod("first")).version();
      for (int i = 0; i < 11; i++) {
        client.post(PODS, pod("pod-" + i));
      }
      try (Http.Watch watch =
          client.watch("/api/v1/pods?watch=1&timeoutSeconds=5&resourceVersion=" + first)) {
        assertEquals("ERROR", watch.next().path("type").asString());
      }
    }
  }

  @Test
  void listsInPagesOfOneRevision() throws Exception {
    IntStream.range(0, 5).forEach(i -> server.objects().create(ResourceKind.PODS, pod("p" + i)));
    Http.Answer first = http.get("/api/v1/pods?limit=3");
    assertEquals(List.of("p0", "p1", "p2"), names(first));
    assertFalse(first.body().at("/items/0").has("kind"), "items of a list carry no kind");
    createPod("later");
    String token = first.body().at("/metadata/continue").asString();
    Http.Answer second = http.get("/api/v1/pods?limit=3&continue=" + token);
    assertEquals(List.of("p3", "p4"), names(second));
    assertEquals(first.version(), second.version());
    assertEquals("", second.body().at("/metadata/continue").asString(""));
    String other = http.get("/api/v1/pods?limit=1").body().at("/metadata/continue").asString();
    server.forgetHistory();
    assertRefused(
        410,
        "Expired",
        "The provided continue parameter is too old",
        http.get("/api/v1/pods?limit=1&continue=" + other));
    assertRefused(
        504,
        "Timeout",
        "Too large resource version",
        http.get("/api/v1/pods?resourceVersion=999999"));
  }

  @Test
  void sendsBookmarksToWatchesThatAllowThem() throws Exception {
    var setup = new StandInApiServer.Setup(0, 1, 100, Duration.ofMillis(50));
    try (StandInApiServer quick = StandInApiServer.start(setup)) {
      Http client = new Http(quick.url());
      String version = client.post(PODS, pod("a")).version();
      String path = "/api/v1/nodes?watch=1&timeoutSeconds=5&allowWatchBookmarks=true";
      try (Http.Watch watch = client.watch(path + "&resourceVersion=1")) {
        JsonNode event = watch.next();
        assertEquals("BOOKMARK", event.path("type").asString());
        assertEquals(version, event.at("/object/metadata/resourceVersion").asString());
      }
    }
  }

  private static List<String> names(Http.Answer list) {
    return StreamSupport.stream(list.body().path("items").spliterator(), false)
        .map(item -> item.at("/metadata/name").asString())
        .toList();
  }
}
