package io.gpumem.plugin.inventory;

import io.gpumem.plugin.nvml.GpuSource;
import io.gpumem.plugin.nvml.Scan;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the GPUs again and again, on a thread of its own: NVML can hang in the kernel for
 * minutes when a GPU is in a bad state, and nothing can interrupt it there. Nobody waits for this
 * thread; a watchdog only reads how long a scan has been under way. While NVML is blocked what was
 * last known stands: no news is not bad news of any one device, and one bad device must not take
 * others down.
 */
public final class GpuWatch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(GpuWatch.class);

  /** NVML is healthy when a scan takes milliseconds; attaching GPUs takes seconds at most. */
  static final Duration BLOCKED_AFTER = Duration.ofSeconds(10);

  private static final long IDLE = Long.MIN_VALUE;

  private final GpuSource source;
  private final Duration interval;
  private final Consumer<Scan> results;
  private final AtomicLong scanBegun = new AtomicLong(IDLE);
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread = Thread.ofPlatform().daemon().name("gpu-watch").unstarted(this::run);

  /**
   * @param results told every scan, on the watch's thread
   */
  public GpuWatch(GpuSource source, Duration interval, Consumer<Scan> results) {
    this.source = source;
    this.interval = interval;
    this.results = results;
  }

  public void start() {
    thread.start();
  }

  /** For how long NVML has not answered a scan; empty while it answers in time. */
  public Optional<Duration> blockedFor() {
    long begun = scanBegun.get();
    if (begun == IDLE) {
      return Optional.empty();
    }
    Duration underWay = Duration.ofNanos(System.nanoTime() - begun);
    return underWay.compareTo(BLOCKED_AFTER) > 0 ? Optional.of(underWay) : Optional.empty();
  }

  private void run() {
    try {
      do {
        scanBegun.set(System.nanoTime());
        Scan scan;
        try {
          scan = source.scan();
        } finally {
          scanBegun.set(IDLE);
        }
        results.accept(scan);
      } while (!stopping.await(interval.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException stopped) {
      LOG.atDebug().log("the GPU watch was stopped");
    }
  }

  /** Stops looking. A scan that hangs in the driver is left behind: its thread is a daemon. */
  @Override
  public void close() {
    stopping.countDown();
    source.close();
  }
}
