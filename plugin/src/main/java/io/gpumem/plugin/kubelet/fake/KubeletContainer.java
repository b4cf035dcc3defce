package io.gpumem.plugin.kubelet.fake;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A container of a pod's spec: its kind, and how many devices of each resource it asks for. Zero is
 * legal and is not the same as nothing: the kubelet still checks the resource's health for it.
 */
public record KubeletContainer(String name, Kind kind, SortedMap<String, Integer> requests) {

  /** The phase of the pod's life in which a container runs. */
  public enum Kind {
    /** Runs to its end before the next container starts; its devices are reused afterwards. */
    INIT,
    /** An init container that restarts always: it starts in turn and then stays. */
    SIDECAR,
    /** An ordinary container. */
    APP
  }

  public KubeletContainer {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("expected a container name");
    }
    requests.forEach(
        (resource, units) -> {
          if (units < 0) {
            throw new IllegalArgumentException(
                "expected units of " + resource + " but was " + units);
          }
        });
    requests = Collections.unmodifiableSortedMap(new TreeMap<>(requests));
  }

  /** A container that asks for no device at all. */
  public static KubeletContainer plain(String name) {
    return new KubeletContainer(name, Kind.APP, new TreeMap<>());
  }

  public static KubeletContainer app(String name, String resource, int units) {
    return of(name, Kind.APP, resource, units);
  }

  public static KubeletContainer init(String name, String resource, int units) {
    return of(name, Kind.INIT, resource, units);
  }

  public static KubeletContainer sidecar(String name, String resource, int units) {
    return of(name, Kind.SIDECAR, resource, units);
  }

  private static KubeletContainer of(String name, Kind kind, String resource, int units) {
    return new KubeletContainer(name, kind, new TreeMap<>(Map.of(resource, units)));
  }
}
