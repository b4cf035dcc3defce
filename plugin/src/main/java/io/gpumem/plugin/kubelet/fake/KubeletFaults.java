package io.gpumem.plugin.kubelet.fake;

import io.grpc.Status;
import io.grpc.StatusException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** Faults to be switched on while the kubelet runs; they outlive its restarts. Thread-safe. */
public final class KubeletFaults {
  private final Findings findings;
  private final AtomicInteger registerRefusals = new AtomicInteger();
  private final AtomicInteger podResourcesRefusals = new AtomicInteger();
  private volatile Duration registerDelay = Duration.ZERO;
  private volatile Duration podResourcesDelay = Duration.ZERO;
  private volatile Optional<AllocateHold> hold = Optional.empty();

  KubeletFaults(Findings findings) {
    this.findings = findings;
  }

  /** The next so many Register calls answer UNAVAILABLE. */
  public void refuseRegister(int times) {
    registerRefusals.set(times);
  }

  /** The next so many calls of pod resources answer UNAVAILABLE. */
  public void refusePodResources(int times) {
    podResourcesRefusals.set(times);
  }

  /** Register takes that much longer before it does anything, until set to zero. */
  public void delayRegister(Duration delay) {
    registerDelay = delay;
  }

  /** Pod resources take that much longer before they answer, until set to zero. */
  public void delayPodResources(Duration delay) {
    podResourcesDelay = delay;
  }

  /** Holds all Allocate calls that come to the point, until the hold is closed. */
  public AllocateHold holdAllocate(AllocateHold.Point point) {
    AllocateHold fresh = new AllocateHold(point);
    hold = Optional.of(fresh);
    return fresh;
  }

  void onRegister() throws StatusException {
    apply(registerDelay, registerRefusals);
  }

  void onPodResources() throws StatusException {
    apply(podResourcesDelay, podResourcesRefusals);
  }

  void onAllocate(AllocateHold.Point point) {
    if (!hold.map(holding -> holding.pass(point)).orElse(true)) {
      findings.trouble("an Allocate was held and never released");
    }
  }

  /** Lets everything go on, so that the kubelet can stop. */
  void release() {
    hold.ifPresent(AllocateHold::close);
    registerDelay = Duration.ZERO;
    podResourcesDelay = Duration.ZERO;
  }

  private static void apply(Duration delay, AtomicInteger refusals) throws StatusException {
    try {
      Thread.sleep(delay);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw Status.CANCELLED.withDescription("the kubelet is stopping").asException();
    }
    if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw Status.UNAVAILABLE.withDescription("injected fault").asException();
    }
  }
}
