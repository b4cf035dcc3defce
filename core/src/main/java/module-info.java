/**
 * The accounting. It requires nothing but the JDK's base (and, at compile time, the nullness
 * annotations), so that no network, logging, JSON, Kubernetes or NVML type can be named in it.
 */
module io.gpumem.core {
  requires static org.jspecify;

  exports io.gpumem.core.units;
}
