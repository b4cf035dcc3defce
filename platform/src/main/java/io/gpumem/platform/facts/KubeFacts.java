package io.gpumem.platform.facts;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.AllocationsCodec;
import io.gpumem.core.wire.CordonList;
import io.gpumem.core.wire.InventoryCodec;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.PodReader;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns pods and nodes as the Kubernetes client gives them into facts, trimmed to what the books
 * need: a client object of a pod weighs some 3 KB, and there may be 50,000 pods. Pure but for the
 * listener that is told of unreadable values; safe for any thread.
 */
public final class KubeFacts {

  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  private final Keys keys;
  private final PodReader reader;
  private final BiConsumer<String, String> unreadable;

  /**
   * @param unreadable told what could not be read (a pod or node, with the key) and why; the value
   *     is then treated as absent
   */
  public KubeFacts(Keys keys, BiConsumer<String, String> unreadable) {
    this.keys = keys;
    this.reader = new PodReader(keys);
    this.unreadable = unreadable;
  }

  /** The facts of a pod; empty when it asks for none of our resource or has ended. */
  public Optional<PodFacts> pod(Pod pod) {
    boolean ended = pod.getStatus() != null && ENDED.contains(orEmpty(pod.getStatus().getPhase()));
    if (ended || pod.getMetadata() == null || pod.getSpec() == null) {
      return Optional.empty();
    }
    PodName name = new PodName(pod.getMetadata().getNamespace(), pod.getMetadata().getName());
    Decoded<PodFacts> facts = reader.read(identity(pod, name), annotations(pod), containers(pod));
    facts.problem().ifPresent(why -> unreadable.accept(name.toString(), why));
    return facts.understood();
  }

  private static PodReader.Identity identity(Pod pod, PodName name) {
    Integer priority = pod.getSpec().getPriority();
    return new PodReader.Identity(
        new PodUid(pod.getMetadata().getUid()),
        name,
        node(pod.getSpec().getNodeName()),
        pod.getStatus() == null ? Optional.empty() : node(pod.getStatus().getNominatedNodeName()),
        priority == null ? 0 : priority,
        millis(pod.getMetadata().getCreationTimestamp()));
  }

  private List<PodReader.SpecContainer> containers(Pod pod) {
    List<PodReader.SpecContainer> containers = new ArrayList<>();
    for (Container init : pod.getSpec().getInitContainers()) {
      boolean sidecar = "Always".equals(init.getRestartPolicy());
      containers.add(container(init, sidecar ? Phase.SIDECAR : Phase.INIT));
    }
    for (Container app : pod.getSpec().getContainers()) {
      containers.add(container(app, Phase.APP));
    }
    return containers;
  }

  /** The kubelet goes by the limit; the API server keeps request and limit equal. */
  private PodReader.SpecContainer container(Container container, Phase phase) {
    Quantity limit =
        container.getResources() == null || container.getResources().getLimits() == null
            ? null
            : container.getResources().getLimits().get(keys.resource());
    Optional<String> quantity =
        limit == null ? Optional.empty() : Optional.of(limit.getAmount() + limit.getFormat());
    return new PodReader.SpecContainer(container.getName(), phase, quantity);
  }

  /**
   * The facts of a node that has our plugin; empty for others, and when its inventory is
   * unreadable.
   */
  public Optional<NodeFacts> node(Node node) {
    Map<String, String> annotations = orNone(node.getMetadata().getAnnotations());
    NodeName name = new NodeName(node.getMetadata().getName());
    Decoded<Inventory> inventory =
        InventoryCodec.decode(Optional.ofNullable(annotations.get(keys.devices())));
    inventory.problem().ifPresent(why -> unreadable.accept(name + " " + keys.devices(), why));
    Decoded<Allocations> allocations =
        AllocationsCodec.decode(Optional.ofNullable(annotations.get(keys.allocations())));
    allocations.problem().ifPresent(why -> unreadable.accept(name + " " + keys.allocations(), why));
    return inventory
        .understood()
        .map(
            known ->
                new NodeFacts(
                    name,
                    known,
                    CordonList.parse(Optional.ofNullable(annotations.get(keys.cordon())), known)
                        .devices(),
                    allocations.understood().orElse(Allocations.NONE),
                    isReady(node)));
  }

  /** The node's annotations and labels under our resource's name, as they stand. */
  public NodeTexts texts(Node node) {
    return new NodeTexts(
        ours(orNone(node.getMetadata().getAnnotations())),
        ours(orNone(node.getMetadata().getLabels())));
  }

  private Map<String, String> ours(Map<String, String> texts) {
    Map<String, String> ours = new TreeMap<>();
    texts.forEach(
        (key, text) -> {
          if (key.startsWith(keys.resource() + ".")) {
            ours.put(key, text);
          }
        });
    return ours;
  }

  private static boolean isReady(Node node) {
    return node.getStatus() != null
        && node.getStatus().getConditions().stream()
            .anyMatch(each -> "Ready".equals(each.getType()) && "True".equals(each.getStatus()));
  }

  private static Map<String, String> annotations(Pod pod) {
    return orNone(pod.getMetadata().getAnnotations());
  }

  private static Map<String, String> orNone(@Nullable Map<String, String> annotations) {
    return annotations == null ? Map.of() : annotations;
  }

  private static Optional<NodeName> node(@Nullable String name) {
    return name == null || name.isEmpty() ? Optional.empty() : Optional.of(new NodeName(name));
  }

  private static long millis(@Nullable String timestamp) {
    try {
      return timestamp == null ? 0 : Instant.parse(timestamp).toEpochMilli();
    } catch (DateTimeException unreadableTime) {
      return 0;
    }
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
