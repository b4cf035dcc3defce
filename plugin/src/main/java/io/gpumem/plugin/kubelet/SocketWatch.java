package io.gpumem.plugin.kubelet;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Waits for something to happen to the kubelet's directory: an inotify event, a nudge, or the end
 * of the polling interval. It does not say what happened; whoever waits looks at the files. Inotify
 * alone is not enough: a hostPath mounted before its directory was replaced delivers no events.
 */
final class SocketWatch implements AutoCloseable {

  private final Semaphore nudges = new Semaphore(0);
  private final Optional<WatchService> inotify;

  private SocketWatch(Optional<WatchService> inotify) {
    this.inotify = inotify;
  }

  /** Watches by inotify where that works, and by polling in any case. */
  static SocketWatch of(Path directory, boolean useInotify) {
    if (!useInotify) {
      return new SocketWatch(Optional.empty());
    }
    try {
      WatchService service = directory.getFileSystem().newWatchService();
      directory.register(
          service, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE);
      SocketWatch watch = new SocketWatch(Optional.of(service));
      Thread.ofVirtual().name("socket-watch").start(() -> watch.forward(service));
      return watch;
    } catch (IOException noInotify) {
      return new SocketWatch(Optional.empty());
    }
  }

  private void forward(WatchService service) {
    try {
      while (true) {
        WatchKey key = service.take();
        key.pollEvents();
        nudge();
        if (!key.reset()) {
          return;
        }
      }
    } catch (InterruptedException | ClosedWatchServiceException closing) {
      nudge();
    }
  }

  void nudge() {
    nudges.release();
  }

  /** Returns after an event, or after the interval without one. */
  void await(Duration interval) throws InterruptedException {
    if (nudges.tryAcquire(interval.toMillis(), TimeUnit.MILLISECONDS)) {
      nudges.drainPermits();
    }
  }

  @Override
  public void close() {
    inotify.ifPresent(
        service -> {
          try {
            service.close();
          } catch (IOException alreadyGone) {
            nudge();
          }
        });
  }
}
