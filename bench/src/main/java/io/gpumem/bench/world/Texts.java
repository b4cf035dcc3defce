package io.gpumem.bench.world;

import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.InventoryCodec;
import io.gpumem.core.wire.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The JSON of pods, nodes and requests, of the size that they have in real clusters. */
public final class Texts {

  private static final String POD = read("pod.json");
  private static final String CONTAINER = read("container.json");

  /** A real node names up to 50 images in its status, which is most of its weight. */
  private static final int IMAGES = 50;

  private Texts() {}

  private static String read(String name) {
    try (InputStream in = Texts.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("expected the resource " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(String::strip)
          .collect(Collectors.joining())
          .replace("\": ", "\":")
          .replace(", \"", ",\"");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A pod of some 5 KB, with a container for each of these units. */
  public static String pod(String name, List<Long> units) {
    String containers =
        IntStream.range(0, units.size())
            .mapToObj(i -> container(name, PlannedPod.container(i), units.get(i)))
            .collect(Collectors.joining(","));
    return POD.replace("${name}", name).replace("${containers}", containers);
  }

  private static String container(String pod, String name, long units) {
    return CONTAINER
        .replace("${name}", pod)
        .replace("${container}", name)
        .replace("${units}", Long.toString(units));
  }

  /** A ready node with a plugin, of some 10 KB. */
  public static String node(String name, Inventory inventory, Keys keys) {
    String images =
        IntStream.range(0, IMAGES)
            .mapToObj(
                i ->
                    "{\"names\":[\"registry.example.com/%s/image-%02d@sha256:%064x\",\"registry.example.com/%s/image-%02d:1.%d.0\"],\"sizeBytes\":%d}"
                        .formatted("platform", i, i * 7919L, "platform", i, i, 100_000_000L + i))
            .collect(Collectors.joining(","));
    return """
    {"metadata":{"name":"%s","labels":{"kubernetes.io/hostname":"%s",\
    "topology.kubernetes.io/zone":"zone-a","node.kubernetes.io/instance-type":"gpu.8xlarge",\
    "%s":"1Gi","%s":"139"},"annotations":{"%s":%s}},\
    "spec":{"podCIDR":"10.0.0.0/24","taints":[{"key":"nvidia.com/gpu","effect":"NoSchedule"}]},\
    "status":{"capacity":{"cpu":"192","memory":"2113000Mi","pods":"110","%s":"1112"},\
    "allocatable":{"cpu":"191","memory":"2100000Mi","pods":"110","%s":"1112"},\
    "conditions":[{"type":"MemoryPressure","status":"False"},{"type":"DiskPressure","status":"False"},\
    {"type":"PIDPressure","status":"False"},{"type":"Ready","status":"True"}],\
    "images":[%s]}}\
    """
        .formatted(
            name,
            name,
            keys.unitLabel(),
            keys.largestDeviceLabel(),
            keys.devices(),
            quoted(InventoryCodec.encode(inventory)),
            keys.resource(),
            keys.resource(),
            images);
  }

  /** A merge patch that sets one annotation. */
  static String annotation(String key, String value) {
    return "{\"metadata\":{\"annotations\":{\"%s\":%s}}}".formatted(key, quoted(value));
  }

  /** The same pod with its node in the spec. */
  static String on(String node, String pod) {
    return pod.replace("\"spec\":{", "\"spec\":{\"nodeName\":\"" + node + "\",");
  }

  /** What kube-scheduler sends to filter and prioritize, the extender being node-cache capable. */
  public static String extenderArgs(PodUid uid, String name, List<Long> units, List<String> nodes) {
    String pod =
        pod(name, units)
            .replace(
                "\"generateName\"",
                "\"uid\":\""
                    + uid
                    + "\",\"creationTimestamp\":\"2026-12-01T00:00:00Z\",\"generateName\"");
    String names = nodes.stream().map(Texts::quoted).collect(Collectors.joining(","));
    return "{\"Pod\":" + pod + ",\"Nodes\":null,\"NodeNames\":[" + names + "]}";
  }

  /** What kube-scheduler sends to bind. */
  public static String bindingArgs(String name, PodUid uid, String node) {
    return "{\"PodName\":\"%s\",\"PodNamespace\":\"%s\",\"PodUID\":\"%s\",\"Node\":\"%s\"}"
        .formatted(name, PlannedPod.NAMESPACE, uid, node);
  }

  /** The names in an answer of filter, in the order in which they stand there. */
  public static List<String> passed(String answer) {
    String key = "\"NodeNames\":[";
    int from = answer.indexOf(key) + key.length();
    int to = answer.indexOf(']', from);
    if (from < key.length() || to < 0) {
      throw new IllegalStateException("expected an answer of filter but was " + answer);
    }
    List<String> names = new ArrayList<>();
    for (String name : answer.substring(from, to).split(",", -1)) {
      names.add(name.replace("\"", ""));
    }
    names.removeAll(Collections.singleton(""));
    return List.copyOf(names);
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }
}
