package io.gpumem.platform.facts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.Keys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubeFactsTest {

  private static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);

  private final List<String> told = new ArrayList<>();
  private final KubeFacts facts =
      new KubeFacts(KEYS, (subject, why) -> told.add(subject + ": " + why));

  private static PodBuilder pod(String amount) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("team-a")
        .withName("train-0")
        .withUid("uid-1")
        .withCreationTimestamp("2026-12-01T10:15:30Z")
        .endMetadata()
        .withNewSpec()
        .withNodeName("n1")
        .addNewContainer()
        .withName("main")
        .withNewResources()
        .addToLimits(KEYS.resource(), new Quantity(amount, ""))
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Running")
        .endStatus();
  }

  @Test
  void readsWhatThePodAsksAndWhereItIs() {
    PodFacts read = facts.pod(pod("8").build()).orElseThrow();
    assertEquals(new PodUid("uid-1"), read.uid());
    assertEquals(new PodName("team-a", "train-0"), read.name());
    assertEquals(Optional.of(new NodeName("n1")), read.node());
    assertEquals(List.of(new ContainerDemand("main", Phase.APP, 8)), read.demand().containers());
    assertEquals(Decoded.absent(), read.reservation());
    assertEquals(List.of(), told);
  }

  /** The kubelet frees its devices only when its containers are down. */
  @Test
  void aPodThatIsBeingDeletedStillCounts() {
    Pod deleted =
        pod("8").editMetadata().withDeletionTimestamp("2026-12-01T10:16:30Z").endMetadata().build();
    assertEquals(8, facts.pod(deleted).map(read -> read.demand().footprint()).orElse(0L));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Succeeded", "Failed"})
  void aPodThatHasEndedDoesNot(String phase) {
    Pod ended = pod("8").editStatus().withPhase(phase).endStatus().build();
    assertEquals(Optional.empty(), facts.pod(ended));
  }

  @Test
  void tellsOfAnAmountThatCannotBeRead() {
    assertEquals(Optional.empty(), facts.pod(pod("1.5").build()));
    assertTrue(told.getFirst().startsWith("team-a/train-0: container main"), told::toString);
  }

  @Test
  void tellsOfANodeWhoseInventoryCannotBeRead() {
    var node =
        new NodeBuilder()
            .withNewMetadata()
            .withName("n1")
            .withAnnotations(Map.of(KEYS.devices(), "{"))
            .endMetadata()
            .build();
    assertEquals(Optional.empty(), facts.node(node));
    assertTrue(told.getFirst().startsWith("n1 " + KEYS.devices()), told::toString);
  }
}
