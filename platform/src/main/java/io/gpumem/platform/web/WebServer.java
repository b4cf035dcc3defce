package io.gpumem.platform.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.gpumem.platform.life.Part;
import io.gpumem.platform.time.Time;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP/1.1 server: the JDK's, with a virtual thread for each request.
 *
 * <p>What a client can't do: send a body over the limit (413, and the connection is closed), fill
 * the memory with many bodies (503), hold a thread by sending or reading slowly (the connection is
 * closed without an answer after {@link WebSettings#readLimit} or {@link WebSettings#writeLimit},
 * headers included). A handler's exception is answered with 500, logged and counted.
 *
 * <p>It does not speak TLS or HTTP/2 and does not limit how long a handler takes.
 */
public final class WebServer implements Part {

  static {
    JdkServer.setLimits();
  }

  private static final Logger log = LoggerFactory.getLogger(WebServer.class);

  /** Connections that the kernel keeps until we accept them. */
  private static final int BACKLOG = 128;

  private static final ScopedValue<Deadline> DEADLINE = ScopedValue.newInstance();

  private final WebSettings settings;
  private final Exchanges exchanges;
  private final WebMetrics metrics;
  private final Time time;
  private final AtomicBoolean draining = new AtomicBoolean();

  /** One party for the server itself and one for each request in progress. */
  private final Phaser inProgress = new Phaser(1);

  private Optional<HttpServer> server = Optional.empty();

  public WebServer(WebSettings settings, Routes routes, Time time, WebMetrics metrics) {
    this.settings = settings;
    this.metrics = metrics;
    this.time = time;
    this.exchanges = new Exchanges(settings, routes, metrics, draining::get);
  }

  /** Binds and serves; throws {@link IOException} when the address can't be had. */
  @Override
  public void start() throws IOException {
    var started = HttpServer.create(settings.listen(), BACKLOG);
    started.createContext("/", this::handle);
    started.setExecutor(this::execute);
    started.start();
    server = Optional.of(started);
    log.atInfo().addKeyValue("address", started.getAddress()).log("server listens");
  }

  /** Where the started server listens, with the port that the system chose if it was to choose. */
  public InetSocketAddress address() {
    return server
        .map(HttpServer::getAddress)
        .orElseThrow(() -> new IllegalStateException("expected a started server"));
  }

  /** The started server's port. */
  public int port() {
    return address().getPort();
  }

  /**
   * Lets the requests in progress end, up to the drain limit, answers those that come meanwhile
   * with 503, then closes every connection.
   */
  @Override
  public void stop() throws InterruptedException {
    if (!draining.compareAndSet(false, true)) {
      return;
    }
    try {
      int phase = inProgress.arriveAndDeregister();
      inProgress.awaitAdvanceInterruptibly(
          phase, settings.drainLimit().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      log.atWarn()
          .addKeyValue("requests", inProgress.getRegisteredParties())
          .log("server stops with requests in progress");
    } finally {
      // The JDK's own delay is of no use: it also waits for exchanges that were broken off.
      server.ifPresent(started -> started.stop(0));
    }
  }

  private void execute(Runnable exchange) {
    inProgress.register();
    Thread.ofVirtual().name("web").start(() -> run(exchange));
  }

  /** The head of the request is read inside, so that the read limit covers it. */
  private void run(Runnable exchange) {
    var deadline = new Deadline(time, Thread.currentThread());
    try {
      deadline.arm(settings.readLimit(), () -> metrics.timeouts.increment("read"));
      ScopedValue.where(DEADLINE, deadline).run(exchange);
    } finally {
      deadline.release();
      inProgress.arriveAndDeregister();
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    exchanges.handle(exchange, DEADLINE.get());
  }
}
