/**
 * The accounting. It requires nothing but the JDK's base (and, at compile time, the nullness
 * annotations), so that no network, logging, JSON, Kubernetes or NVML type can be named in it.
 */
module io.gpumem.core {
  requires static org.jspecify;

  exports io.gpumem.core.demand;
  exports io.gpumem.core.facts;
  exports io.gpumem.core.inventory;
  exports io.gpumem.core.ledger;
  exports io.gpumem.core.placement;
  exports io.gpumem.core.reservation;
  exports io.gpumem.core.units;
  exports io.gpumem.core.wire;
}
