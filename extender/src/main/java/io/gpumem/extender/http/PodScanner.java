package io.gpumem.extender.http;

import io.gpumem.core.demand.Phase;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.PodReader.SpecContainer;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads one pod out of a stream, without building it: a pod's JSON is some 5 KB, of which we need a
 * dozen words. One instance reads one pod.
 */
final class PodScanner {

  private final Keys keys;
  private String namespace = "";
  private String name = "";
  private String uid = "";
  private String node = "";
  private String nominated = "";
  private int priority;
  private long createdMillis;
  private final Map<String, String> annotations = new HashMap<>();
  private final List<SpecContainer> inits = new ArrayList<>();
  private final List<SpecContainer> apps = new ArrayList<>();

  private PodScanner(Keys keys) {
    this.keys = keys;
  }

  /** The pod at which the parser is; without any content when it is at something else. */
  static ScannedPod scan(JsonParser parser, Keys keys) {
    var scanner = new PodScanner(keys);
    JsonFields.object(parser, scanner::part);
    return scanner.result();
  }

  private ScannedPod result() {
    List<SpecContainer> containers = new ArrayList<>(inits);
    containers.addAll(apps);
    return new ScannedPod(
        namespace, name, uid, node, nominated, priority, createdMillis, annotations, containers);
  }

  private void part(String key, JsonParser value) {
    switch (key) {
      case "metadata" -> JsonFields.object(value, this::metadata);
      case "spec" -> JsonFields.object(value, this::spec);
      case "status" -> JsonFields.object(value, this::status);
      default -> {}
    }
  }

  private void metadata(String key, JsonParser value) {
    switch (key) {
      case "namespace" -> namespace = JsonFields.text(value);
      case "name" -> name = JsonFields.text(value);
      case "uid" -> uid = JsonFields.text(value);
      case "creationtimestamp" -> createdMillis = millis(JsonFields.text(value));
      case "annotations" -> JsonFields.exact(value, this::annotation);
      default -> {}
    }
  }

  private void annotation(String key, JsonParser value) {
    if (key.startsWith(keys.resource()) && value.currentToken() == JsonToken.VALUE_STRING) {
      annotations.put(key, value.getString());
    }
  }

  private void spec(String key, JsonParser value) {
    switch (key) {
      case "nodename" -> node = JsonFields.text(value);
      case "priority" -> priority = priority(value);
      case "initcontainers" ->
          JsonFields.array(value, item -> inits.add(new ContainerScanner().scan(item, true)));
      case "containers" ->
          JsonFields.array(value, item -> apps.add(new ContainerScanner().scan(item, false)));
      default -> {}
    }
  }

  private void status(String key, JsonParser value) {
    if (key.equals("nominatednodename")) {
      nominated = JsonFields.text(value);
    }
  }

  private static int priority(JsonParser value) {
    return value.currentToken() == JsonToken.VALUE_NUMBER_INT ? value.getIntValue() : 0;
  }

  private static long millis(String timestamp) {
    try {
      return timestamp.isEmpty() ? 0 : Instant.parse(timestamp).toEpochMilli();
    } catch (DateTimeException unreadable) {
      return 0;
    }
  }

  /** Reads one container; what the kubelet goes by is the limit. */
  private final class ContainerScanner {

    private String container = "";
    private boolean always;
    private Optional<String> quantity = Optional.empty();

    SpecContainer scan(JsonParser parser, boolean init) {
      JsonFields.object(parser, this::field);
      Phase initPhase = always ? Phase.SIDECAR : Phase.INIT;
      return new SpecContainer(container, init ? initPhase : Phase.APP, quantity);
    }

    private void field(String key, JsonParser value) {
      switch (key) {
        case "name" -> container = JsonFields.text(value);
        case "restartpolicy" -> always = JsonFields.text(value).equals("Always");
        case "resources" -> JsonFields.object(value, this::resources);
        default -> {}
      }
    }

    private void resources(String key, JsonParser value) {
      if (key.equals("limits")) {
        JsonFields.exact(value, this::limit);
      }
    }

    private void limit(String resource, JsonParser value) {
      if (resource.equals(keys.resource()) && value.currentToken() != JsonToken.VALUE_NULL) {
        quantity = Optional.of(JsonFields.text(value));
      }
    }
  }
}
