package io.gpumem.core.ledger;

import static io.gpumem.core.world.PodSketch.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.world.Given;
import io.gpumem.core.world.NodeSketch;
import io.gpumem.core.world.PodSketch;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The kubelet allocates in the order of the spec, and a sidecar may come before an init. */
class InitBetweenSidecarsTest {

  private static final NodeSketch TWO = NodeSketch.of(16, 16);
  private static final PodSketch POD =
      pod("p").sidecar("side", 4).init("init", 5).app("main", 6).reserved("A");

  private static Map<String, Object> waiting(NodeBooks books) {
    return books.outstanding().stream()
        .collect(Collectors.toMap(Outstanding::container, Outstanding::devices));
  }

  @Test
  void anInitContainerIsStillToComeThoughASidecarBeforeItShows() {
    NodeBooks books = TWO.shows("p", "side", Given.on("A", 4)).books(POD);
    assertEquals(Map.of("init", Given.on("A", 5), "main", Given.on("A", 6)), waiting(books));
    assertEquals(10, books.ledger().used(Given.uuid("A")));
  }

  @Test
  void itFollowsTheSidecarToTheDeviceThatThatReallyHas() {
    NodeBooks books = TWO.shows("p", "side", Given.on("B", 4)).books(POD);
    assertEquals(Map.of("init", Given.on("B", 5), "main", Given.on("B", 6)), waiting(books));
  }

  @Test
  void itHasBeenServedOnceAContainerAfterItShows() {
    NodeBooks books =
        TWO.shows("p", "side", Given.on("A", 4)).shows("p", "main", Given.on("A", 6)).books(POD);
    assertEquals(List.of(), books.outstanding());
  }

  @Test
  void itHasBeenServedWhenNothingComesAfterItThatCouldShow() {
    PodSketch last = pod("p").sidecar("side", 4).init("init", 5).reserved("A");
    NodeBooks books = TWO.shows("p", "side", Given.on("A", 4)).books(last);
    assertEquals(List.of(), books.outstanding());
  }
}
