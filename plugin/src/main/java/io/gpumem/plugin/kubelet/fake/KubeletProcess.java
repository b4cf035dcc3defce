package io.gpumem.plugin.kubelet.fake;

import io.gpumem.plugin.kubelet.fake.KubeletEvent.PodFailed;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import io.grpc.Server;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One life of the stand-in kubelet, from serving its sockets to its death: what a real kubelet has
 * in memory, and the one thread on which it admits pods. A restart makes another of these.
 */
final class KubeletProcess implements PluginClients.Events {
  /** A node takes 110 pods; more waiting batches than this means that nobody reads. */
  private static final int MOST_WAITING = 10_000;

  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  /** How long a re-admission waits for a plugin that was said to register first. */
  private static final Duration REGISTRATION_LIMIT = Duration.ofSeconds(30);

  /** Past the grace period by the clock's own resolution. */
  private static final Duration GRACE_MARGIN = Duration.ofMillis(20);

  private final Surroundings around;
  private final KubeletCore core;
  private final UnixTransport transport;
  private final PluginClients clients;
  private final List<Server> servers = new ArrayList<>();
  private final CountDownLatch firstList = new CountDownLatch(1);
  private final ThreadPoolExecutor admission =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MOST_WAITING),
          Thread.ofPlatform().daemon().name("stand-in-kubelet-admission").factory());

  /** Late wishes of a dying process are dropped. */
  private final ScheduledThreadPoolExecutor grace =
      new ScheduledThreadPoolExecutor(
          1,
          Thread.ofPlatform().daemon().name("stand-in-kubelet-grace").factory(),
          new ThreadPoolExecutor.DiscardPolicy());

  private final Object writing = new Object();
  private volatile boolean stopping;

  KubeletProcess(Surroundings around, KubeletCore.Start start) {
    this.around = around;
    CheckpointFile checkpoint = new CheckpointFile(around.settings().checkpoint());
    this.core =
        new KubeletCore(
            around.settings().release(),
            around.book(),
            start,
            data -> write(checkpoint, data),
            around.findings(),
            around.random());
    this.transport = new UnixTransport(around.findings());
    this.clients =
        new PluginClients(
            around.settings().release(), around.settings().dialTimeout(), transport, this);
  }

  /** Opens both sockets. */
  void serve() throws IOException {
    KubeletSettings settings = around.settings();
    servers.add(
        transport.serve(
            settings.registrationSocket(),
            new RegistrationService(
                settings.devicePlugins(),
                clients,
                around.faults(),
                around.checks(),
                around.log())));
    servers.add(
        transport.serve(
            settings.podResourcesSocket(),
            new PodResourcesService(core, around.faults(), around.log())));
    around.status().sync(core::quantities);
    expireLater();
  }

  KubeletCore core() {
    return core;
  }

  int openStreams() {
    return clients.openStreams();
  }

  void cancelStreams(String resource) {
    clients.cancelStreams(resource);
  }

  /** Admits a batch, by time of creation within it, after the batches before it. */
  void admit(List<KubeletPod> batch) {
    admission.execute(() -> admitAll(batch, false));
  }

  /** Admits all pods anew, as a starting kubelet does; only then does it know all pods. */
  void readmit(List<KubeletPod> batch, Restart.Readmission moment) {
    admission.execute(
        () -> {
          if (moment == Restart.Readmission.AFTER_REGISTRATION) {
            awaitFirstList();
          }
          admitAll(batch, true);
          core.sourcesReady();
        });
  }

  /** Starts or restarts an admitted pod's containers, on the caller's thread, beside admission. */
  Optional<KubeletEvent> start(String uid) {
    Optional<KubeletEvent> event = core.start(uid);
    event.filter(_ -> !stopping).ifPresent(around.events()::send);
    return event;
  }

  /** Done when all batches before are admitted. */
  Future<?> marker() {
    return admission.submit(() -> {});
  }

  /** Dies: no event and no write comes from this life any more. */
  void kill() {
    synchronized (writing) {
      stopping = true;
    }
    admission.shutdownNow();
    grace.shutdownNow();
    servers.forEach(server -> transport.stop(server, "a server of the kubelet"));
    clients.close();
    try {
      if (!admission.awaitTermination(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        around.findings().trouble("admission did not end, a call to the plugin hangs");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    transport.close();
  }

  @Override
  public void connected(PluginClient client, DevicePluginOptions options) {
    core.connect(
        client.resource(),
        client.socket(),
        new ObservedPlugin(
            client.resource(), client, around.log(), around.checks(), around.faults()),
        options);
  }

  @Override
  public void received(PluginClient client, ListAndWatchResponse list) {
    if (stopping) {
      return;
    }
    String resource = client.resource();
    around.checks().list(resource, list.getDevicesList(), core.booked(resource));
    core.replaceDevices(resource, list.getDevicesList());
    around.status().sync(core::quantities);
    // Last, so that who waits for the message to be recorded finds it in force.
    around.log().add(new ListMessage(resource, Instant.now(), list.getSerializedSize(), list));
    firstList.countDown();
  }

  @Override
  public void disconnected(PluginClient client) {
    if (stopping) {
      return;
    }
    core.disconnect(client.resource(), client.socket(), Instant.now());
    around.status().sync(core::quantities);
    expireLater();
  }

  private void admitAll(List<KubeletPod> batch, boolean again) {
    List<KubeletPod> sorted = new ArrayList<>(batch);
    sorted.sort(Comparator.comparing(KubeletPod::createdAt));
    try {
      for (KubeletPod pod : sorted) {
        if (stopping) {
          return;
        }
        admitOne(pod, again);
      }
    } catch (RuntimeException e) {
      if (!stopping) {
        around.findings().trouble("admission of " + sorted + " threw " + e);
      }
    }
  }

  private void admitOne(KubeletPod pod, boolean again) {
    if (!isWaiting(pod, again)) {
      return;
    }
    Optional<PodFailed> failed = core.admit(pod);
    if (stopping || !isWaiting(pod, again)) {
      return;
    }
    core.settle(pod, failed.isEmpty());
    failed.ifPresent(around.events()::send);
    boolean started = around.book().entry(pod.uid()).map(PodBook.Entry::started).orElse(false);
    if (failed.isEmpty() && !started && around.settings().startsContainers()) {
      Optional<KubeletEvent> _ = start(pod.uid());
    }
  }

  /** A pod that was deleted or ended meanwhile is no longer admitted, and nothing is told of it. */
  private boolean isWaiting(KubeletPod pod, boolean again) {
    return around
        .book()
        .entry(pod.uid())
        .filter(entry -> entry.phase() != PodBook.Phase.FINISHED)
        .filter(entry -> again || entry.phase() == PodBook.Phase.BOUND)
        .isPresent();
  }

  private void write(CheckpointFile checkpoint, CheckpointData data) {
    synchronized (writing) {
      if (!stopping) {
        checkpoint.write(data);
      }
    }
  }

  private void awaitFirstList() {
    try {
      if (!firstList.await(REGISTRATION_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        around.findings().trouble("re-admission waited in vain for a plugin");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void expireLater() {
    long millis = around.settings().stopGrace().plus(GRACE_MARGIN).toMillis();
    var _ = grace.schedule(this::expire, millis, TimeUnit.MILLISECONDS);
  }

  private void expire() {
    List<String> expired = core.expire(Instant.now(), around.settings().stopGrace());
    around.status().zero(expired);
  }
}
