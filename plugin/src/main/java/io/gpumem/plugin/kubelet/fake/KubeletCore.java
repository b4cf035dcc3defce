package io.gpumem.plugin.kubelet.fake;

import io.gpumem.plugin.kubelet.fake.KubeletEvent.ContainerWaiting;
import io.gpumem.plugin.kubelet.fake.KubeletEvent.PodFailed;
import io.gpumem.plugin.kubelet.fake.KubeletEvent.PodRunning;
import io.gpumem.proto.deviceplugin.v1beta1.Device;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpumem.proto.podresources.v1.AllocatableResourcesResponse;
import io.gpumem.proto.podresources.v1.ListPodResourcesResponse;
import io.gpumem.proto.podresources.v1.PodResources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * One life of a kubelet's device manager without sockets, threads, files or a clock: the plugin is
 * an interface, time is handed in, and every call does its work on the caller's thread. {@link
 * StandInKubelet} puts the rest around it; a simulation uses it as it is.
 *
 * <p>Thread-safe. Admission is meant to be called by one thread, as in the kubelet; lists, starts
 * and reads may come from others and then race with it exactly as they do there.
 */
public final class KubeletCore {
  private static final String ADMISSION_ERROR = "UnexpectedAdmissionError";
  private static final String CONFIG_ERROR = "CreateContainerConfigError";

  private final Release release;
  private final PodBook book;
  private final DeviceTable table;
  private final Endpoints endpoints = new Endpoints();
  private final Allocator allocator;
  private final ContainerStart starts;
  private final PodResourcesView view;
  private final Consumer<CheckpointData> checkpoints;
  private final Object checkpointOrder = new Object();

  /** The pods this kubelet has been told of; a starting one learns them one by one. */
  private final Set<String> managed = ConcurrentHashMap.newKeySet();

  private final Set<String> runningAtStart;
  private volatile boolean sourcesReady;

  /** What the checkpoint file of this life says. */
  private volatile CheckpointData written;

  /**
   * A start of the kubelet.
   *
   * @param remembered what its checkpoint says
   * @param runtimeSeen whether the container runtime answers at start; if not, nothing seems to run
   * @param sourcesReady false if pods are going to be re-admitted first
   */
  record Start(CheckpointData remembered, boolean runtimeSeen, boolean sourcesReady, Instant at) {}

  KubeletCore(
      Release release,
      PodBook book,
      Start start,
      Consumer<CheckpointData> checkpoints,
      Findings findings,
      Random random) {
    this.release = release;
    this.book = book;
    this.checkpoints = checkpoints;
    this.sourcesReady = start.sourcesReady();
    this.written = start.remembered();
    this.runningAtStart = start.runtimeSeen() ? runningContainers(book) : Set.of();
    this.table = new DeviceTable(random, start.remembered());
    for (String resource : start.remembered().registeredDevices().keySet()) {
      endpoints.putStopped(resource, start.at());
    }
    this.allocator =
        new Allocator(table, endpoints, new BookedPods(), this::writeCheckpoint, findings, random);
    this.starts = new ContainerStart(table, endpoints, allocator, this::isActive);
    this.view = new PodResourcesView(table, random);
  }

  /**
   * A fresh kubelet that has no pods, for a simulation.
   *
   * @param seed of every choice that the kubelet makes at random
   */
  public static KubeletCore fresh(Release release, long seed) {
    return new KubeletCore(
        release,
        new PodBook(),
        new Start(CheckpointData.EMPTY, true, true, Instant.EPOCH),
        _ -> {},
        new Findings(),
        new Random(seed));
  }

  /**
   * The kubelet after a crash of this one, which is left alone from now on. It knows no pod until
   * each of {@link #pods} was admitted again, in their order, and {@link #sourcesReady} told so.
   *
   * @param seed of every choice that it makes at random
   */
  public KubeletCore restarted(Restart how, long seed, Instant at) {
    if (how.containers() == Restart.Containers.REBOOTED) {
      book.stopContainers();
    }
    CheckpointData remembered =
        how.checkpoint() == Restart.Checkpoint.KEPT ? written : CheckpointData.EMPTY;
    boolean seen = how.containers() != Restart.Containers.UNSEEN;
    return new KubeletCore(
        release,
        book,
        new Start(remembered, seen, false, at),
        _ -> {},
        new Findings(),
        new Random(seed));
  }

  /** What its checkpoint file says of the resource: device IDs by pod UID and container. */
  public Map<String, Map<String, Set<String>>> checkpointed(String resource) {
    return written.holders(resource);
  }

  /** The pods that have not ended, by time of creation: what a starting kubelet admits. */
  public List<KubeletPod> pods() {
    return book.all().stream()
        .filter(entry -> entry.phase() != PodBook.Phase.FINISHED)
        .map(PodBook.Entry::pod)
        .sorted(Comparator.comparing(KubeletPod::createdAt))
        .toList();
  }

  /** Whether the pod is bound here and has not ended. */
  public boolean has(String uid) {
    return book.entry(uid).map(entry -> entry.phase() != PodBook.Phase.FINISHED).orElse(false);
  }

  /** Whether the pod has an ordinary init container that asks for devices. */
  public boolean hasInit(String uid) {
    return book.entry(uid).stream()
        .flatMap(entry -> entry.pod().containers().stream())
        .anyMatch(each -> each.kind() == KubeletContainer.Kind.INIT && !each.requests().isEmpty());
  }

  /** Whether the pod's containers run. */
  public boolean isStarted(String uid) {
    return book.entry(uid).map(PodBook.Entry::started).orElse(false);
  }

  /** Puts a plugin in the resource's place; the last one wins. */
  public void connect(
      String resource, String socket, PluginEndpoint plugin, DevicePluginOptions options) {
    endpoints.put(resource, socket, plugin, options);
  }

  /** As the other, of a plugin that wants to be asked what it prefers. */
  public void connect(String resource, String socket, PluginEndpoint plugin) {
    connect(
        resource,
        socket,
        plugin,
        DevicePluginOptions.newBuilder().setGetPreferredAllocationAvailable(true).build());
  }

  /** Takes a list message. */
  public void take(String resource, ListAndWatchResponse list) {
    replaceDevices(resource, list.getDevicesList());
  }

  /** IDs of the resource that are in the list and healthy. */
  public Set<String> healthyIds(String resource) {
    return table.healthyIds(resource);
  }

  /** Takes a whole list of the resource's devices. */
  public void replaceDevices(String resource, List<Device> devices) {
    table.replaceDevices(resource, devices);
    writeCheckpoint();
  }

  /**
   * A plugin's stream ended: its devices become unhealthy, its endpoint stops. From 1.37 on only if
   * the resource's plugin is still the one of that socket.
   */
  public void disconnect(String resource, String socket, Instant now) {
    boolean current =
        release == Release.V1_36
            || endpoints.of(resource).map(entry -> entry.socket().equals(socket)).orElse(false);
    if (current && endpoints.stop(resource, now)) {
      table.markUnhealthy(resource);
    }
  }

  /** Drops resources whose plugin stayed away for longer than the grace period; names them. */
  public List<String> expire(Instant now, Duration grace) {
    List<String> expired = endpoints.expire(now, grace);
    expired.forEach(table::forget);
    if (!expired.isEmpty()) {
      writeCheckpoint();
    }
    return expired;
  }

  /** Makes a pod known, as a binding does. Its UID must be new. */
  public void bind(KubeletPod pod) {
    book.bind(pod);
  }

  /**
   * Admits a bound pod: allocates for its containers in order.
   *
   * @return the failure, if it was refused; its earlier containers keep their devices until the
   *     next sweep
   */
  public Optional<PodFailed> admit(KubeletPod pod) {
    managed.add(pod.uid());
    for (KubeletContainer container : pod.containers()) {
      Optional<String> refusal = allocator.allocate(pod, container);
      if (refusal.isPresent()) {
        String message =
            "Pod was rejected: Allocate failed due to %s, which is unexpected"
                .formatted(refusal.get());
        return Optional.of(new PodFailed(pod, ADMISSION_ERROR, message));
      }
    }
    return Optional.empty();
  }

  /**
   * Notes that the pod passed, or what refused it; apart from admit so that a kill can fall
   * between.
   */
  public void settle(KubeletPod pod, boolean passed) {
    if (passed) {
      book.admitted(pod.uid());
    } else {
      book.finished(pod.uid());
    }
  }

  /** Admits, settles and starts a bound pod: the whole way of a pod in a simulation. */
  public Optional<KubeletEvent> run(KubeletPod pod) {
    Optional<PodFailed> failed = admit(pod);
    settle(pod, failed.isEmpty());
    return failed.isPresent() ? Optional.of(failed.get()) : start(pod.uid());
  }

  /**
   * Starts, or after a crash restarts, all containers of an admitted pod: replays the recorded
   * answers, and allocates again where the record is missing.
   *
   * @return empty if the pod is not there, not admitted or not active
   */
  public Optional<KubeletEvent> start(String uid) {
    Optional<PodBook.Entry> entry = book.entry(uid);
    if (entry.isEmpty() || !isActive(uid) || entry.get().phase() == PodBook.Phase.BOUND) {
      return Optional.empty();
    }
    KubeletPod pod = entry.get().pod();
    List<ContainerView> views = new ArrayList<>();
    for (KubeletContainer container : pod.containers()) {
      Optional<String> problem = starts.prepare(pod, container);
      if (problem.isPresent()) {
        return Optional.of(
            new ContainerWaiting(pod, container.name(), CONFIG_ERROR, problem.get()));
      }
      views.add(
          ContainerView.merged(
              container.name(),
              table.allocations(uid, container.name()).values().stream()
                  .map(Allocation::response)
                  .toList()));
    }
    book.running(uid);
    return Optional.of(new PodRunning(pod, views));
  }

  /** Begins the pod's end: it holds its devices until {@link #stopped}. */
  public void terminate(String uid) {
    book.terminating(uid);
  }

  /** The pod's containers are down and its object is deleted. */
  public void stopped(String uid) {
    book.remove(uid);
  }

  /** Deletes the pod at once; its processes may live on, the kubelet forgets them. */
  public void forceDelete(String uid) {
    book.remove(uid);
  }

  /** The pod ended by itself, well or not: no longer active, though its object stays. */
  public void finish(String uid) {
    book.finished(uid);
  }

  /** All pods have been seen once: from here on inactive pods lose their devices. */
  public void sourcesReady() {
    sourcesReady = true;
  }

  /** Pod resources of all active pods. Drops what inactive pods hold, as any caller's List does. */
  public ListPodResourcesResponse list() {
    allocator.removeInactive();
    ListPodResourcesResponse.Builder response = ListPodResourcesResponse.newBuilder();
    for (PodBook.Entry entry : book.all()) {
      if (isActive(entry.pod().uid())) {
        response.addPodResources(view.of(entry.pod()));
      }
    }
    return response.build();
  }

  /** Pod resources of the newest pod of that name, without List's side effect. */
  public Optional<PodResources> get(String namespace, String name) {
    return book.all().reversed().stream()
        .filter(entry -> entry.pod().fullName().equals(namespace + "/" + name))
        .filter(
            entry ->
                release == Release.V1_36
                    ? isActive(entry.pod().uid())
                    : managed.contains(entry.pod().uid()))
        .findFirst()
        .map(entry -> view.of(entry.pod()));
  }

  /** All healthy devices, held or not. */
  public AllocatableResourcesResponse allocatableResources() {
    return view.allocatable();
  }

  /** The inner truth: pod UID, container (ordinary init containers too), device IDs. */
  public SortedMap<String, SortedMap<String, SortedSet<String>>> table() {
    return table.holders();
  }

  /** The IDs that can't be picked now: what is held, picks in flight, and what leaked. */
  public SortedSet<String> booked(String resource) {
    return table.booked(resource);
  }

  /** Devices of each resource that is counted in the node's status. */
  public SortedMap<String, Quantity> quantities() {
    return table.quantities();
  }

  private boolean isActive(String uid) {
    return managed.contains(uid)
        && book.entry(uid).map(entry -> entry.phase() != PodBook.Phase.FINISHED).orElse(false);
  }

  private void writeCheckpoint() {
    synchronized (checkpointOrder) {
      written = table.checkpoint();
      checkpoints.accept(written);
    }
  }

  private static Set<String> runningContainers(PodBook book) {
    Set<String> running = new HashSet<>();
    for (PodBook.Entry entry : book.all()) {
      for (KubeletContainer container : entry.pod().containers()) {
        if (entry.started() && container.kind() != KubeletContainer.Kind.INIT) {
          running.add(key(entry.pod().uid(), container.name()));
        }
      }
    }
    return Set.copyOf(running);
  }

  private static String key(String uid, String container) {
    return uid + "/" + container;
  }

  private final class BookedPods implements Allocator.Pods {
    @Override
    public boolean isActive(String podUid) {
      return KubeletCore.this.isActive(podUid);
    }

    @Override
    public boolean sourcesReady() {
      return sourcesReady;
    }

    @Override
    public boolean wasRunning(String podUid, String container) {
      return runningAtStart.contains(key(podUid, container));
    }
  }
}
