package io.gpumem.demo.world;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.Keys;
import io.gpumem.platform.cluster.Cluster;
import io.gpumem.platform.cluster.Feed;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.cluster.NodeSelection;
import io.gpumem.platform.cluster.PodSelection;
import io.gpumem.platform.facts.KubeFacts;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue of a kube-scheduler, one pod at a time in order of arrival. A pod that fits nowhere
 * waits until the cluster changes; one whose cycle failed is tried again after a back-off, which is
 * shorter than the real one so that nobody has to wait for the demonstration. Thread-safe.
 */
final class PlayedScheduler implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PlayedScheduler.class);

  private static final Duration BACK_OFF = Duration.ofMillis(200);
  private static final Duration JOIN_LIMIT = Duration.ofSeconds(6);

  private final Scheduling scheduling;
  private final Thread thread;
  private final Feed podFeed;
  private final Feed nodeFeed;
  private final Map<PodUid, PodFacts> pods = new LinkedHashMap<>();
  private final Map<PodUid, String> assumed = new HashMap<>();
  private final Map<PodUid, Long> notBefore = new HashMap<>();

  PlayedScheduler(Cluster cluster, Keys keys, Scheduling scheduling) {
    this.scheduling = scheduling;
    KubeFacts facts = new KubeFacts(keys, (what, why) -> {});
    this.thread = Thread.ofPlatform().name("scheduler").daemon().start(this::loop);
    this.podFeed = cluster.watchPods(PodSelection.notEnded(), facts::pod, this::onPod);
    this.nodeFeed = cluster.watchNodes(NodeSelection.all(), Optional::of, _ -> clusterChanged());
  }

  private synchronized void onPod(FeedEvent<PodFacts> event) {
    switch (event) {
      case FeedEvent.Listed<PodFacts>(var all, var gone) -> {
        all.forEach(this::seen);
        gone.forEach(this::gone);
      }
      case FeedEvent.Appeared<PodFacts>(PodFacts now) -> seen(now);
      case FeedEvent.Changed<PodFacts>(PodFacts before, PodFacts now) -> seen(now);
      case FeedEvent.Gone<PodFacts>(PodFacts last) -> gone(last);
    }
    notifyAll();
  }

  private void seen(PodFacts pod) {
    pods.put(pod.uid(), pod);
    if (pod.node().isPresent()) {
      assumed.remove(pod.uid());
    }
  }

  private void gone(PodFacts pod) {
    pods.remove(pod.uid());
    assumed.remove(pod.uid());
    notBefore.remove(pod.uid());
    clusterChanged();
  }

  /** Pods that fitted nowhere get another chance, after their back-off. */
  private synchronized void clusterChanged() {
    long soon = System.nanoTime() + BACK_OFF.toNanos();
    notBefore.replaceAll((pod, at) -> at == Long.MAX_VALUE ? soon : at);
    notifyAll();
  }

  private void loop() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        PodFacts pod = next();
        settle(pod.uid(), scheduling.cycle(pod, requested(), this::assume));
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException broken) {
      LOG.atError().setCause(broken).log("the played scheduler ended");
    }
  }

  private synchronized PodFacts next() throws InterruptedException {
    while (true) {
      long now = System.nanoTime();
      long wait = BACK_OFF.toNanos();
      for (PodFacts pod : pods.values()) {
        boolean waits = pod.node().isEmpty() && !assumed.containsKey(pod.uid());
        long at = notBefore.getOrDefault(pod.uid(), now);
        if (waits && at != Long.MAX_VALUE && at - now <= 0) {
          return pod;
        }
      }
      wait(Math.max(1, Duration.ofNanos(wait).toMillis()));
    }
  }

  private synchronized void settle(PodUid pod, Scheduling.Outcome outcome) {
    switch (outcome) {
      case DONE -> {
        // Gone or bound: the watch says so soon, and until then there is nothing to do.
        notBefore.put(pod, System.nanoTime() + BACK_OFF.toNanos());
      }
      case UNSCHEDULABLE -> notBefore.put(pod, Long.MAX_VALUE);
      case ERROR -> notBefore.put(pod, System.nanoTime() + BACK_OFF.toNanos());
    }
  }

  private synchronized void assume(PodUid pod, Optional<String> node) {
    node.ifPresentOrElse(name -> assumed.put(pod, name), () -> assumed.remove(pod));
  }

  private synchronized Map<String, Long> requested() {
    Map<String, Long> requested = new TreeMap<>();
    for (PodFacts pod : pods.values()) {
      Optional<String> node =
          pod.node()
              .map(bound -> bound.text())
              .or(() -> Optional.ofNullable(assumed.get(pod.uid())));
      node.ifPresent(name -> requested.merge(name, pod.demand().footprint(), Long::sum));
    }
    return requested;
  }

  @Override
  public void close() throws InterruptedException {
    podFeed.close();
    nodeFeed.close();
    thread.interrupt();
    if (!thread.join(JOIN_LIMIT)) {
      LOG.atWarn().log("the played scheduler did not end in time");
    }
  }
}
