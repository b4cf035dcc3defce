package io.gpumem.plugin.kubelet.fake;

import java.time.Duration;
import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The extended resources in the node's status. Published at once, where a kubelet takes up to ten
 * seconds. A resource once published stays, at zero when its plugin is gone for good. Thread-safe.
 */
final class NodeStatus {
  private final SortedMap<String, Quantity> published = new TreeMap<>();
  private final Consumer<KubeletEvent> events;

  NodeStatus(Consumer<KubeletEvent> events) {
    this.events = events;
  }

  /** Publishes what is counted now; it is counted under the lock, so that no older count wins. */
  synchronized void sync(Supplier<SortedMap<String, Quantity>> counted) {
    counted.get().forEach(this::put);
  }

  synchronized void zero(Collection<String> resources) {
    resources.forEach(resource -> put(resource, Quantity.ZERO));
  }

  synchronized SortedMap<String, Quantity> all() {
    return new TreeMap<>(published);
  }

  /** Waits until the resource has so many allocatable devices; false after the limit. */
  synchronized boolean await(String resource, long allocatable, Duration limit)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (published.getOrDefault(resource, Quantity.ZERO).allocatable() != allocatable) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait(Math.max(1, left / 1_000_000));
    }
    return true;
  }

  private void put(String resource, Quantity quantity) {
    if (!quantity.equals(published.put(resource, quantity))) {
      events.accept(
          new KubeletEvent.CapacityChanged(resource, quantity.capacity(), quantity.allocatable()));
      notifyAll();
    }
  }
}
