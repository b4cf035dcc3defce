package io.gpumem.plugin.publish;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.wire.AllocationsCodec;
import io.gpumem.core.wire.InventoryCodec;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.Summary;
import io.gpumem.plugin.allocate.NodeState;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The annotations and labels of a node under our resource's name, as they are or as they should be.
 * A pure value.
 */
public record NodeKeys(Map<String, String> annotations, Map<String, String> labels) {

  public NodeKeys {
    annotations = Map.copyOf(annotations);
    labels = Map.copyOf(labels);
  }

  /** What the node should say. */
  public static NodeKeys wanted(Keys keys, NodeState.View view) {
    Map<String, String> annotations = new HashMap<>();
    annotations.put(keys.devices(), InventoryCodec.encode(view.facts().inventory()));
    annotations.put(keys.allocations(), AllocationsCodec.encode(view.facts().allocations()));
    annotations.put(keys.summary(), Summary.of(view.books().ledger()));
    Map<String, String> labels = new HashMap<>();
    labels.put(keys.unitLabel(), view.facts().inventory().unit().toString());
    OptionalLong largest = view.facts().inventory().largestDevice();
    labels.put(keys.largestDeviceLabel(), Long.toString(largest.orElse(0)));
    for (Device device : view.facts().inventory().devices()) {
      labels.put(keys.modelLabel(device.model()), "true");
    }
    return new NodeKeys(annotations, labels);
  }

  /** What a node says under our keys; what an admin writes (the cordon) is not ours. */
  public static NodeKeys found(
      Keys keys, Map<String, String> annotations, Map<String, String> labels) {
    Map<String, String> ours = new HashMap<>();
    for (String key : new String[] {keys.devices(), keys.allocations(), keys.summary()}) {
      Optional.ofNullable(annotations.get(key)).ifPresent(text -> ours.put(key, text));
    }
    Map<String, String> ourLabels = new HashMap<>();
    labels.forEach(
        (key, value) -> {
          boolean isOurs =
              key.equals(keys.unitLabel())
                  || key.equals(keys.largestDeviceLabel())
                  || key.startsWith(keys.modelLabelPrefix());
          if (isOurs) {
            ourLabels.put(key, value);
          }
        });
    return new NodeKeys(ours, ourLabels);
  }

  /** The annotations to set (a value) or to take away (empty) to get from there to here. */
  public Map<String, Optional<String>> annotationChanges(NodeKeys from) {
    return changes(from.annotations, annotations);
  }

  /** As {@link #annotationChanges}, for labels. */
  public Map<String, Optional<String>> labelChanges(NodeKeys from) {
    return changes(from.labels, labels);
  }

  private static Map<String, Optional<String>> changes(
      Map<String, String> from, Map<String, String> to) {
    Map<String, Optional<String>> changes = new TreeMap<>();
    from.keySet().stream()
        .filter(key -> !to.containsKey(key))
        .forEach(key -> changes.put(key, Optional.empty()));
    to.forEach(
        (key, value) -> {
          if (!Objects.equals(from.get(key), value)) {
            changes.put(key, Optional.of(value));
          }
        });
    return changes;
  }
}
