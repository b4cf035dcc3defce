package io.gpumem.extender.view;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.wire.Keys;
import io.gpumem.platform.facts.KubeFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Nodes and pods as the API server shows them, with any annotations, read as the extender does. */
final class ForgedFacts {

  private final Keys keys;
  private final KubeFacts facts;
  private final AtomicLong unreadable = new AtomicLong();

  ForgedFacts(Keys keys) {
    this.keys = keys;
    this.facts = new KubeFacts(keys, (subject, why) -> unreadable.incrementAndGet());
  }

  /** How many values were told to be unreadable. */
  long unreadable() {
    return unreadable.get();
  }

  Optional<NodeFacts> node(
      String name, boolean ready, Map<String, String> annotations, Map<String, String> labels) {
    Node node =
        new NodeBuilder()
            .withNewMetadata()
            .withName(name)
            .withAnnotations(annotations)
            .withLabels(labels)
            .endMetadata()
            .withNewStatus()
            .addNewCondition()
            .withType("Ready")
            .withStatus(ready ? "True" : "Unknown")
            .endCondition()
            .endStatus()
            .build();
    return facts.node(node);
  }

  /** A pod with the spec of another, and an amount of its own for the last container. */
  Optional<PodFacts> pod(PodFacts like, Map<String, String> annotations, Optional<String> amount) {
    List<Container> inits = new ArrayList<>();
    List<Container> apps = new ArrayList<>();
    ContainerDemand last = like.demand().containers().getLast();
    for (ContainerDemand each : like.demand().containers()) {
      String units = Long.toString(each.units());
      Container container = container(each, each == last ? amount.orElse(units) : units);
      (each.phase() == Phase.APP ? apps : inits).add(container);
    }
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(like.name().name())
            .withNamespace(like.name().namespace())
            .withUid(like.uid().text())
            .withAnnotations(annotations)
            .endMetadata()
            .withNewSpec()
            .withNodeName(like.node().map(NodeName::text).orElse(""))
            .withPriority(like.priority())
            .withInitContainers(inits)
            .withContainers(apps)
            .endSpec()
            .withNewStatus()
            .withNominatedNodeName(like.nominated().map(NodeName::text).orElse(""))
            .endStatus()
            .build();
    return facts.pod(pod);
  }

  private Container container(ContainerDemand demand, String amount) {
    return new ContainerBuilder()
        .withName(demand.container())
        .withRestartPolicy(demand.phase() == Phase.SIDECAR ? "Always" : null)
        .withNewResources()
        .addToLimits(keys.resource(), new Quantity(amount, ""))
        .endResources()
        .build();
  }
}
