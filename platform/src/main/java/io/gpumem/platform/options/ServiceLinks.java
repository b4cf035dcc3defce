package io.gpumem.platform.options;

import java.util.Map;

/**
 * The variables that the kubelet sets in every pod for every Service of the namespace: a Service
 * "gpumem-x" gives GPUMEM_X_SERVICE_HOST, GPUMEM_X_PORT and more (Kubernetes documentation,
 * "Accessing the Service", environment variables). They are nobody's misspelt options.
 */
final class ServiceLinks {

  private static final String HOST = "_SERVICE_HOST";

  private ServiceLinks() {}

  /** Whether the variable belongs to a Service, which its _SERVICE_HOST in the same place shows. */
  static boolean contain(Map<String, String> env, String name) {
    return env.keySet().stream()
        .filter(host -> host.endsWith(HOST))
        .map(host -> host.substring(0, host.length() - HOST.length()))
        .anyMatch(
            service ->
                name.startsWith(service + "_SERVICE_") || name.startsWith(service + "_PORT"));
  }
}
