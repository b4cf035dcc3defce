package io.gpumem.core.wire;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The node annotation {@code <resource>.allocations}, written by the plugin: the truth. */
public final class AllocationsCodec {

  private AllocationsCodec() {}

  public static String encode(Allocations allocations) {
    Map<String, Json> fields = Versioned.fields();
    Map<String, Json> pods = new LinkedHashMap<>();
    allocations.pods().forEach((uid, pod) -> pods.put(uid.text(), encode(pod)));
    fields.put("pods", new Json.Obj(pods));
    if (!allocations.names().isEmpty()) {
      Map<String, Json> names = new LinkedHashMap<>();
      allocations
          .names()
          .forEach((name, devices) -> names.put(name.toString(), Versioned.amounts(devices)));
      fields.put("names", new Json.Obj(names));
    }
    return Json.write(new Json.Obj(fields));
  }

  private static Json encode(PodAllocation pod) {
    Map<String, Json> fields = new LinkedHashMap<>();
    fields.put("pod", new Json.Text(pod.name().toString()));
    fields.put("containers", Versioned.containers(pod.containers()));
    if (!pod.init().isEmpty()) {
      fields.put("init", Versioned.amounts(pod.init()));
    }
    return new Json.Obj(fields);
  }

  public static Decoded<Allocations> decode(Optional<String> text) {
    return Versioned.decode(
        text,
        fields -> new Allocations(pods(fields.object("pods")), names(fields.objectIfAny("names"))));
  }

  private static Map<PodUid, PodAllocation> pods(Json.Obj object) throws Json.Malformed {
    Map<PodUid, PodAllocation> pods = new TreeMap<>();
    for (Map.Entry<String, Json> field : object.fields().entrySet()) {
      if (!(field.getValue() instanceof Json.Obj pod)) {
        throw new Json.Malformed("expected an object for pod " + field.getKey());
      }
      pods.put(
          new PodUid(field.getKey()),
          new PodAllocation(
              name(Versioned.required(pod, "pod")),
              Versioned.readContainers(pod.object("containers")),
              Versioned.readAmounts(pod.objectIfAny("init"))));
    }
    return pods;
  }

  private static Map<PodName, Map<DeviceUuid, Long>> names(Json.Obj object) throws Json.Malformed {
    Map<PodName, Map<DeviceUuid, Long>> names = new TreeMap<>();
    for (Map.Entry<String, Json> field : object.fields().entrySet()) {
      names.put(name(field.getKey()), Versioned.readAmounts(field.getValue()));
    }
    return names;
  }

  private static PodName name(String text) throws Json.Malformed {
    Optional<PodName> name = PodName.parse(text);
    if (name.isEmpty()) {
      throw new Json.Malformed("expected namespace/name but was \"" + text + "\"");
    }
    return name.get();
  }
}
