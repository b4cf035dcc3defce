package io.gpumem.plugin.kubelet;

import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.platform.time.DoublingPause;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.ContainerView;
import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the plugin registered with the kubelet, for as long as it runs.
 *
 * <p>The states, walked by one thread:
 *
 * <pre>
 *   serving ── Register taken ──▶ registered ── any of the three signals ──▶ (old socket closed) serving
 *      ▲  └── Register refused: again after a pause that doubles up to a limit, for ever
 * </pre>
 *
 * The signals: kubelet.sock is another file than the one registered with; our own socket file is
 * gone or not ours; the kubelet ended the list's stream. A server whose file was removed goes on
 * without any error, so that it runs says nothing.
 */
public final class KubeletLink implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KubeletLink.class);

  private static final String KUBELET_SOCKET = "kubelet.sock";
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);

  /** The kubelet opens the stream right after it took Register. */
  private static final Duration STREAM_LIMIT = Duration.ofSeconds(10);

  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private final Settings settings;
  private final UnixSockets sockets;
  private final Allocator allocator;
  private final Function<Map<DeviceUuid, Long>, ContainerView> views;
  private final Consumer<Event> events;
  private final SocketWatch watch;
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final Thread thread = Thread.ofPlatform().name("kubelet-link").unstarted(this::run);
  private volatile ListAndWatchResponse list = ListAndWatchResponse.getDefaultInstance();
  private volatile @Nullable PluginSocket current;
  private volatile boolean registered;

  /**
   * @param directory the kubelet's device-plugins directory
   * @param poll how often the files are looked at when no event comes
   * @param inotify whether to watch by inotify as well
   */
  public record Settings(Path directory, String resource, Duration poll, boolean inotify) {}

  /** What happened, for metrics. */
  public enum Event {
    REGISTERED,
    REGISTRATION_FAILED,
    KUBELET_SOCKET_CHANGED,
    OWN_SOCKET_GONE,
    STREAM_ENDED
  }

  /** A link that has no list yet: {@link #update} comes before {@link #start}. */
  public KubeletLink(
      Settings settings,
      UnixSockets sockets,
      Allocator allocator,
      Function<Map<DeviceUuid, Long>, ContainerView> views,
      Consumer<Event> events) {
    this.settings = settings;
    this.sockets = sockets;
    this.allocator = allocator;
    this.views = views;
    this.events = events;
    this.watch = SocketWatch.of(settings.directory(), settings.inotify());
  }

  /** The list of these devices as the kubelet is to be told it; see {@link DeviceList}. */
  public static ListAndWatchResponse list(
      Inventory inventory, Set<DeviceId> held, boolean numaHints) {
    return DeviceList.of(inventory, held, numaHints);
  }

  public void start() {
    thread.start();
  }

  /** Tells the kubelet another list, now and after every registration to come. */
  public void update(ListAndWatchResponse changed) {
    list = changed;
    PluginSocket socket = current;
    if (socket != null) {
      socket.streams().update(changed);
    }
  }

  /** Whether the kubelet has taken us, our socket file is ours, and the list's stream is open. */
  public boolean isServing() {
    PluginSocket socket = current;
    return registered && socket != null && socket.isPresent() && socket.streams().isOpen();
  }

  /** Whether the thread that heals the connection lives: all that a restart could mend. */
  public boolean isAlive() {
    return thread.isAlive();
  }

  private void run() {
    try {
      for (Path stale : PluginSocket.removeStale(settings.directory())) {
        LOG.atInfo().addKeyValue("socket", stale.getFileName()).log("removed a stale socket");
      }
      int rounds = Rehearsal.play(allocator.inventory(), views);
      LOG.atDebug().addKeyValue("rounds", rounds).log("rehearsed the allocation calls");
      while (!stopping.get()) {
        serveOnce();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } catch (IOException unreadable) {
      LOG.atError().setCause(unreadable).log("can't use the kubelet's device-plugins directory");
    }
  }

  private void serveOnce() throws InterruptedException {
    ListStreams streams = new ListStreams(list, watch::nudge);
    DevicePluginService service = new DevicePluginService(allocator, views, streams);
    try (PluginSocket socket = PluginSocket.open(settings.directory(), sockets, service, streams)) {
      current = socket;
      // A list that came between reading it and showing the socket must not be lost.
      streams.update(list);
      Optional<String> kubelet = register(socket);
      if (kubelet.isPresent()) {
        registered = true;
        awaitSignal(socket, kubelet.get());
      }
    } catch (IOException cannotServe) {
      LOG.atWarn().addKeyValue("why", cannotServe.getMessage()).log("can't serve the kubelet yet");
      watch.await(LONGEST_PAUSE);
    } finally {
      registered = false;
      current = null;
    }
  }

  /** Registers until it works; the identity of the kubelet's socket, or empty to begin anew. */
  private Optional<String> register(PluginSocket socket) throws InterruptedException {
    Path kubeletSocket = settings.directory().resolve(KUBELET_SOCKET);
    Registrar registrar = new Registrar(sockets, kubeletSocket, settings.resource());
    DoublingPause pauses = new DoublingPause(FIRST_PAUSE, LONGEST_PAUSE);
    while (!stopping.get() && socket.isPresent()) {
      Optional<String> identity = UnixSockets.identity(kubeletSocket);
      Optional<String> refused =
          identity.isEmpty()
              ? Optional.of("there is no " + KUBELET_SOCKET + " yet")
              : registrar.register(socket.endpoint());
      if (refused.isEmpty()) {
        events.accept(Event.REGISTERED);
        LOG.atInfo().addKeyValue("endpoint", socket.endpoint()).log("registered with the kubelet");
        return identity;
      }
      events.accept(Event.REGISTRATION_FAILED);
      Duration pause = pauses.next();
      LOG.atWarn()
          .addKeyValue("why", refused.get())
          .addKeyValue("againMillis", pause.toMillis())
          .log("the kubelet did not take our registration");
      watch.await(pause);
    }
    return Optional.empty();
  }

  private void awaitSignal(PluginSocket socket, String kubelet) throws InterruptedException {
    Path kubeletSocket = settings.directory().resolve(KUBELET_SOCKET);
    long streamExpected = System.nanoTime() + STREAM_LIMIT.toNanos();
    boolean opened = false;
    while (!stopping.get()) {
      Optional<String> now = UnixSockets.identity(kubeletSocket);
      if (now.isPresent() && !now.get().equals(kubelet)) {
        signal(Event.KUBELET_SOCKET_CHANGED);
        return;
      }
      if (!socket.isPresent()) {
        signal(Event.OWN_SOCKET_GONE);
        return;
      }
      boolean open = socket.streams().isOpen();
      if (!open && (opened || System.nanoTime() > streamExpected)) {
        signal(Event.STREAM_ENDED);
        return;
      }
      opened |= open;
      watch.await(settings.poll());
    }
  }

  private void signal(Event event) {
    if (!stopping.get()) {
      events.accept(event);
      LOG.atWarn().addKeyValue("signal", event).log("lost the kubelet, registering again");
    }
  }

  @Override
  public void close() {
    stopping.set(true);
    watch.nudge();
    watch.close();
    thread.interrupt();
    try {
      thread.join(STOP_LIMIT);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
