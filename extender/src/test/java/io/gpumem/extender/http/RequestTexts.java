package io.gpumem.extender.http;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Wish;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.ReservationCodec;
import io.gpumem.platform.log.JsonText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The scheduler's requests as JSON, in the many forms that are all valid. */
final class RequestTexts {

  private static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);

  private final Random chance;
  private final UnaryOperator<String> annotation;

  /**
   * @param annotation what becomes of each annotation's value before it is put into a request
   */
  RequestTexts(Random chance, UnaryOperator<String> annotation) {
    this.chance = chance;
    this.annotation = annotation;
  }

  private boolean oneIn(int times) {
    return chance.nextInt(times) == 0;
  }

  /** The request of filter and prioritize. */
  String args(PodFacts pod, List<String> names) {
    List<String> asked = new ArrayList<>(names);
    Collections.shuffle(asked, chance);
    List<String> fields = new ArrayList<>();
    fields.add("\"Pod\":" + pod(pod));
    if (oneIn(3)) {
      fields.add("\"Nodes\":{\"metadata\":{},\"items\":[" + nodes(asked) + "]}");
      fields.add("\"NodeNames\":null");
    } else {
      fields.add("\"Nodes\":null");
      fields.add("\"NodeNames\":[" + String.join(",", quoted(asked)) + "]");
    }
    Collections.shuffle(fields, chance);
    return "{" + String.join(",", fields) + "}";
  }

  private static List<String> quoted(List<String> texts) {
    return texts.stream().map(JsonText::quote).toList();
  }

  private static String nodes(List<String> names) {
    return String.join(
        ",",
        names.stream()
            .map(
                name ->
                    "{\"metadata\":{\"name\":%s,\"labels\":{\"a\":\"\u00e9\"}},\"spec\":{}}"
                        .formatted(JsonText.quote(name)))
            .toList());
  }

  private String pod(PodFacts pod) {
    Map<String, String> annotations = annotations(pod);
    List<String> texts = new ArrayList<>();
    annotations.forEach(
        (key, value) ->
            texts.add(JsonText.quote(key) + ":" + JsonText.quote(annotation.apply(value))));
    return """
    {"metadata":{"name":%s,"namespace":%s,"uid":%s,"creationTimestamp":"2026-12-01T10:15:30Z",\
    "labels":{"app":"x"},"annotations":{%s}},\
    "spec":{"priority":%d,"nodeSelector":{},"initContainers":[%s],"containers":[%s]},\
    "status":{"phase":"Pending"%s}}\
    """
        .formatted(
            JsonText.quote(pod.name().name()),
            JsonText.quote(pod.name().namespace()),
            JsonText.quote(pod.uid().text()),
            String.join(",", texts),
            pod.priority(),
            containers(pod, true),
            containers(pod, false),
            pod.nominated()
                .map(node -> ",\"nominatedNodeName\":" + JsonText.quote(node.text()))
                .orElse(""));
  }

  private Map<String, String> annotations(PodFacts pod) {
    Map<String, String> annotations = new TreeMap<>();
    Wish wish = pod.wish().understood().orElse(Wish.NONE);
    wish.policy().ifPresent(policy -> annotations.put(KEYS.policy(), policy.toString()));
    if (wish.choice().devices() > 1) {
      annotations.put(KEYS.deviceCount(), Integer.toString(wish.choice().devices()));
    }
    if (!wish.choice().models().isEmpty()) {
      annotations.put(KEYS.model(), String.join(", ", wish.choice().models()));
    }
    pod.reservation()
        .understood()
        .ifPresent(plan -> annotations.put(KEYS.reservation(), ReservationCodec.encode(plan)));
    return annotations;
  }

  private String containers(PodFacts pod, boolean init) {
    List<String> containers = new ArrayList<>();
    for (ContainerDemand each : pod.demand().containers()) {
      if ((each.phase() == Phase.APP) != init) {
        String always = each.phase() == Phase.SIDECAR ? ",\"restartPolicy\":\"Always\"" : "";
        containers.add(
            "{\"name\":%s,\"image\":\"i\",\"resources\":{\"limits\":{\"cpu\":\"1\",\"%s\":%s}}%s}"
                .formatted(
                    JsonText.quote(each.container()),
                    Keys.DEFAULT_RESOURCE,
                    quantity(each.units()),
                    always));
      }
    }
    return String.join(",", containers);
  }

  private String quantity(long units) {
    return switch (chance.nextInt(5)) {
      case 0 -> Long.toString(units);
      case 1 -> "\"" + units + "000m\"";
      case 2 -> "\"" + units + "e0\"";
      default -> "\"" + units + "\"";
    };
  }

  /** The request of bind. */
  String bind(PodFacts pod, NodeName node) {
    List<String> fields =
        new ArrayList<>(
            List.of(
                "\"PodName\":" + JsonText.quote(pod.name().name()),
                "\"PodNamespace\":" + JsonText.quote(pod.name().namespace()),
                "\"PodUID\":" + JsonText.quote(pod.uid().text()),
                "\"Node\":" + JsonText.quote(node.text())));
    Collections.shuffle(fields, chance);
    return "{" + String.join(",", fields) + "}";
  }
}
