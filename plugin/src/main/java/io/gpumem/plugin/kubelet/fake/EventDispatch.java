package io.gpumem.plugin.kubelet.fake;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands events to the listener on a thread of its own, in order, so that a slow or broken listener
 * neither holds the kubelet's locks nor ends its threads.
 */
final class EventDispatch {
  private static final Logger LOG = LoggerFactory.getLogger(EventDispatch.class);

  /** Far more than pods fit on a node; beyond it a listener is stuck, not slow. */
  private static final int MOST_WAITING = 10_000;

  private static final Duration STUCK = Duration.ofSeconds(10);

  private final KubeletListener listener;
  private final Findings findings;
  private final AtomicInteger failures = new AtomicInteger();
  private final ThreadPoolExecutor thread;

  EventDispatch(KubeletListener listener, Findings findings) {
    this.listener = listener;
    this.findings = findings;
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_WAITING),
            Thread.ofPlatform().daemon().name("stand-in-kubelet-events").factory(),
            this::waitForRoom);
  }

  void send(KubeletEvent event) {
    thread.execute(() -> deliver(event));
  }

  /** Done when all events sent before have been delivered. */
  Future<?> marker() {
    return thread.submit(() -> {});
  }

  int failures() {
    return failures.get();
  }

  void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(STUCK.toSeconds(), TimeUnit.SECONDS)) {
        thread.shutdownNow();
        findings.trouble("the listener did not return within " + STUCK.toSeconds() + " s");
      }
    } catch (InterruptedException _) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void deliver(KubeletEvent event) {
    try {
      listener.on(event);
    } catch (RuntimeException e) {
      failures.incrementAndGet();
      LOG.atWarn().setCause(e).addKeyValue("event", event).log("listener failed");
    }
  }

  private void waitForRoom(Runnable task, ThreadPoolExecutor pool) {
    try {
      if (!pool.isShutdown() && !pool.getQueue().offer(task, STUCK.toSeconds(), TimeUnit.SECONDS)) {
        findings.trouble("an event was dropped, the listener is stuck");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
