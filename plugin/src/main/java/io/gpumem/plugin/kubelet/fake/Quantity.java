package io.gpumem.plugin.kubelet.fake;

/** A resource in the node's status, in devices: all of them, and the healthy ones. */
public record Quantity(long capacity, long allocatable) {
  static final Quantity ZERO = new Quantity(0, 0);
}
