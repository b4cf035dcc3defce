package io.gpumem.plugin.kubelet.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A kubelet as a device plugin sees it, under a directory of the caller's: {@code
 * device-plugins/kubelet.sock} to register with, {@code pod-resources/kubelet.sock} to read from,
 * and the checkpoint file. Pods are handed to it as if a scheduler had bound them; what becomes of
 * them goes to the listener.
 *
 * <p>Strict unless told otherwise: {@link #close} throws if the plugin broke the contract in a way
 * that a real kubelet would let pass, see {@link #violations}. It throws always if something was
 * left open.
 *
 * <p>Thread-safe. Admission runs on one thread of its own, so {@link #add} returns at once; {@link
 * #awaitIdle} waits. Like the kubelet it never gives up on an Allocate that hangs.
 */
public final class StandInKubelet implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StandInKubelet.class);

  private final Surroundings around;
  private final KubeletDirectory directory;
  private final Object lifecycle = new Object();
  private volatile KubeletProcess process;
  private boolean closed;

  private StandInKubelet(KubeletSettings settings, KubeletListener listener) throws IOException {
    Findings findings = new Findings();
    EventDispatch events = new EventDispatch(listener, findings);
    this.directory = new KubeletDirectory(settings);
    this.around =
        new Surroundings(
            settings,
            new PodBook(),
            new NodeStatus(events::send),
            events,
            new KubeletFaults(findings),
            new CallLog(),
            new ContractChecks(findings),
            findings,
            new Random(settings.seed()));
    directory.prepare();
    this.process =
        new KubeletProcess(around, new KubeletCore.Start(remembered(), true, true, Instant.now()));
    try {
      process.serve();
    } catch (IOException e) {
      process.kill();
      events.close();
      throw e;
    }
  }

  /**
   * Starts a kubelet and serves both sockets before it returns. A checkpoint that lies there is
   * read.
   *
   * @throws IOException if a directory or socket can't be made
   */
  public static StandInKubelet start(KubeletSettings settings, KubeletListener listener)
      throws IOException {
    return new StandInKubelet(settings, listener);
  }

  /** Binds pods to the node, in one batch: within it they are admitted by time of creation. */
  public void add(List<KubeletPod> batch) {
    synchronized (lifecycle) {
      batch.forEach(around.book()::bind);
      process.admit(List.copyOf(batch));
    }
  }

  /** Binds one pod to the node. */
  public void add(KubeletPod pod) {
    add(List.of(pod));
  }

  /** Begins the pod's graceful end: it keeps its devices until {@link #stopped}. */
  public void terminate(String uid) {
    process.core().terminate(uid);
  }

  /** The pod's containers are down and its object is deleted. */
  public void stopped(String uid) {
    process.core().stopped(uid);
  }

  /** Deletes the pod without waiting for its processes: its devices are free to others at once. */
  public void forceDelete(String uid) {
    process.core().forceDelete(uid);
  }

  /** The pod ended by itself, Succeeded or Failed; its object stays until it is deleted. */
  public void finish(String uid) {
    process.core().finish(uid);
  }

  /**
   * Starts the containers of an admitted pod, or restarts those of a running one, on the caller's
   * thread, as a pod worker does beside admission. The listener is told too.
   *
   * @return empty if there is no such pod, or it is not admitted
   */
  public Optional<KubeletEvent> startContainers(String uid) {
    return process.start(uid);
  }

  /**
   * Kills the kubelet and starts it again: streams break, sockets are deleted, memory is lost, the
   * checkpoint is read, and all pods are admitted again. Returns when the new sockets serve.
   */
  public void restart(Restart how) {
    synchronized (lifecycle) {
      process.kill();
      switch (how.checkpoint()) {
        case KEPT -> {}
        case MISSING -> directory.loseCheckpoint();
        case CORRUPT -> directory.corruptCheckpoint();
      }
      if (how.containers() == Restart.Containers.REBOOTED) {
        around.book().stopContainers();
      }
      try {
        directory.prepare();
        if (!directory.hasFiles()) {
          around.status().zero(around.status().all().keySet());
        }
        boolean seen = how.containers() != Restart.Containers.UNSEEN;
        process =
            new KubeletProcess(
                around, new KubeletCore.Start(remembered(), seen, false, Instant.now()));
        process.serve();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      process.readmit(
          around.book().all().stream()
              .filter(entry -> entry.phase() != PodBook.Phase.FINISHED)
              .map(PodBook.Entry::pod)
              .toList(),
          how.readmission());
    }
  }

  /**
   * Waits until all pods added so far have been admitted or refused and the listener was told.
   *
   * @throws TimeoutException if that takes longer, for instance because an Allocate hangs
   */
  public void awaitIdle(Duration limit) throws InterruptedException, TimeoutException {
    long deadline = System.nanoTime() + limit.toNanos();
    await(process.marker(), deadline);
    await(around.events().marker(), deadline);
  }

  /** Waits until the resource has so many allocatable devices; false after the limit. */
  public boolean awaitAllocatable(String resource, long devices, Duration limit)
      throws InterruptedException {
    return around.status().await(resource, devices, limit);
  }

  /** Cancels the resource's ListAndWatch streams from the kubelet's side, and nothing else. */
  public void cancelStreams(String resource) {
    process.cancelStreams(resource);
  }

  /** Deletes the plugins' socket files; who listens on them notices nothing by itself. */
  public void deletePluginSockets() {
    try {
      for (Path socket : directory.sockets()) {
        if (!socket.equals(around.settings().registrationSocket())) {
          Files.deleteIfExists(socket);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Faults to switch on. */
  public KubeletFaults faults() {
    return around.faults();
  }

  /** The paths and rules it runs by. */
  public KubeletSettings settings() {
    return around.settings();
  }

  /** The inner truth: pod UID, container (ordinary init containers too), device IDs. */
  public SortedMap<String, SortedMap<String, SortedSet<String>>> table() {
    return process.core().table();
  }

  /** The IDs that can't be picked now: what is held, picks in flight, and what leaked. */
  public SortedSet<String> booked(String resource) {
    return process.core().booked(resource);
  }

  /** Capacity of each resource in the node's status, in devices. */
  public SortedMap<String, Long> capacity() {
    SortedMap<String, Long> capacity = new TreeMap<>();
    around.status().all().forEach((name, quantity) -> capacity.put(name, quantity.capacity()));
    return capacity;
  }

  /** Allocatable devices of each resource in the node's status. */
  public SortedMap<String, Long> allocatable() {
    SortedMap<String, Long> allocatable = new TreeMap<>();
    around
        .status()
        .all()
        .forEach((name, quantity) -> allocatable.put(name, quantity.allocatable()));
    return allocatable;
  }

  /** The latest list messages, oldest first, at most 100. */
  public List<ListMessage> lists() {
    return around.log().lists();
  }

  /** The latest answered calls in both directions, oldest first, at most 10,000. */
  public List<KubeletCall> calls() {
    return around.log().calls();
  }

  /** The latest answered calls of one kind, oldest first. */
  public List<KubeletCall> calls(KubeletCall.Method method) {
    return calls().stream().filter(call -> call.method() == method).toList();
  }

  /** ListAndWatch streams that have not ended. */
  public int openStreams() {
    return process.openStreams();
  }

  /** Breaches of contract by the plugin that a real kubelet would let pass. */
  public List<String> violations() {
    return around.findings().violations();
  }

  /** How often the listener threw. */
  public int listenerFailures() {
    return around.events().failures();
  }

  /**
   * Stops everything. A second call does nothing.
   *
   * @throws IllegalStateException if a call, stream or thread did not end, or, when strict, if the
   *     plugin broke the contract
   */
  @Override
  public void close() {
    synchronized (lifecycle) {
      if (closed) {
        return;
      }
      closed = true;
      around.faults().release();
      process.kill();
      around.events().close();
    }
    List<String> troubles = around.findings().troubles();
    List<String> violations = around.settings().strict() ? violations() : List.of();
    if (!troubles.isEmpty() || !violations.isEmpty()) {
      throw new IllegalStateException(
          "expected a clean end but saw "
              + String.join("; ", troubles)
              + (troubles.isEmpty() || violations.isEmpty() ? "" : "; ")
              + String.join("; ", violations));
    }
  }

  private CheckpointData remembered() {
    return switch (new CheckpointFile(around.settings().checkpoint()).read()) {
      case CheckpointFile.Content.Read(CheckpointData data) -> data;
      case CheckpointFile.Content.Missing() -> CheckpointData.EMPTY;
      case CheckpointFile.Content.Corrupt(String why) -> {
        LOG.atWarn().addKeyValue("why", why).log("checkpoint unreadable, going on without");
        yield CheckpointData.EMPTY;
      }
    };
  }

  private static void await(Future<?> marker, long deadline)
      throws InterruptedException, TimeoutException {
    try {
      Object _ = marker.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("expected an empty task", e);
    }
  }
}
