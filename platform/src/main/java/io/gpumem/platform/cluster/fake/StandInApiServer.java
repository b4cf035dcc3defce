package io.gpumem.platform.cluster.fake;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.gpumem.platform.cluster.fake.StandInFaults.Trouble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/**
 * A small Kubernetes API server: pods with bindings, nodes, events and leases over HTTP on
 * loopback, with the real server's selectors, pages, watches, preconditions and refusals
 * (k8s-contract C, D.5 and E). Both binaries and kubectl-like tools can be pointed at it by {@link
 * #kubeconfig()}.
 *
 * <p>What it does not do: authentication beyond one token, admission, defaulting beyond what
 * scheduling reads, garbage collection, TLS. It is strict: an unknown path or verb is refused and
 * found in {@link #misuses()}.
 *
 * <p>Faults: connections can be cut, unplugged or silenced; requests refused, their answers lost or
 * late; events delayed; the history forgotten. Any thread may call any method.
 */
public final class StandInApiServer implements AutoCloseable {

  /** The real server's limit on a request body. */
  private static final int LARGEST_BODY = 3 * 1024 * 1024;

  private static final int REMEMBERED_REQUESTS = 10_000;

  private final HttpServer http;
  private final Wire wire;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ObjectStore store;
  private final ApiObjects objects;
  private final ListPages pages = new ListPages();
  private final WatchHub watches;
  private final Routes routes;
  private final StandInFaults faults = new StandInFaults();
  private final Deque<RecordedRequest> requests = new ArrayDeque<>();

  /**
   * How the stand-in is set up.
   *
   * @param port to listen on, 0 for any that is free
   * @param seed of UIDs and generated names
   * @param historySize changes remembered for watches; a real server keeps about five minutes
   * @param bookmarkEvery a real server sends one about every minute
   */
  public record Setup(int port, long seed, int historySize, Duration bookmarkEvery) {
    public static final Setup DEFAULT = new Setup(0, 1, 20_000, Duration.ofSeconds(5));
  }

  private StandInApiServer(Setup setup) throws IOException {
    this.store = new ObjectStore(setup.historySize(), System::nanoTime);
    this.objects = new ApiObjects(store, Clock.systemUTC(), new Random(setup.seed()));
    this.watches = new WatchHub(store, setup.bookmarkEvery(), System::nanoTime);
    this.routes = new Routes(store, objects, pages);
    this.http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext("/", this::handle);
    http.setExecutor(threads);
    http.start();
    this.wire = Wire.to(http.getAddress().getPort(), setup.port());
  }

  /** Starts on a free port. Throws {@link UncheckedIOException} when loopback can't be bound. */
  public static StandInApiServer start() {
    return start(Setup.DEFAULT);
  }

  /** Starts as set up. Throws {@link UncheckedIOException} when the port can't be bound. */
  public static StandInApiServer start(Setup setup) {
    try {
      return new StandInApiServer(setup);
    } catch (IOException taken) {
      throw new UncheckedIOException(taken);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + wire.port();
  }

  /** A kubeconfig that leads here, without credentials. */
  public String kubeconfig() {
    return """
    apiVersion: v1
    kind: Config
    clusters:
    - name: stand-in
      cluster: {server: "%s"}
    users:
    - name: anybody
      user: {}
    contexts:
    - name: stand-in
      context: {cluster: stand-in, user: anybody}
    current-context: stand-in
    """
        .formatted(url());
  }

  /** The objects, for callers in this process. */
  public ApiObjects objects() {
    return objects;
  }

  /** Breaks every connection, watches and requests alike; new ones are taken. */
  public void cutConnections() {
    wire.cut();
  }

  /** While unplugged, connections break as soon as they are made. */
  public void unplugged(boolean now) {
    wire.unplugged(now);
  }

  /** While silent, connections stay open and nothing passes through them. */
  public void silent(boolean now) {
    wire.silent(now);
  }

  /** While refusing, every request gets a 503; open watches go on. */
  public void refusing(boolean now) {
    faults.refusing(now);
  }

  /** From now on only requests with this bearer token are served; the others get a 401. */
  public void requireToken(String token) {
    faults.token(Optional.of(token));
  }

  /** Forgets the history: watches can't begin, nor lists go on, from before this call. */
  public void forgetHistory() {
    store.forget();
    pages.forget();
  }

  /** Whether a 410 on a watch comes as the HTTP status; else, as mostly, within the stream. */
  public void goneAsStatus(boolean now) {
    faults.goneAsStatus(now);
  }

  /** Ends every open watch with a 410 event. */
  public void expireWatches() {
    watches.expire();
  }

  /** Writes this text, as it is, into every open watch. */
  public void writeIntoWatches(String raw) {
    watches.write(raw);
  }

  /** How many watches were begun, ever. */
  public long watchesBegun() {
    return watches.begunCount();
  }

  /**
   * How many watches are open; one whose client has left counts until something is written to it.
   */
  public int openWatches() {
    return watches.openCount();
  }

  /**
   * Delays events: those about matching objects, on matching watches, by this long after the
   * change; events behind a delayed one wait too. Run the result to end it.
   */
  public Runnable delayWatch(
      Predicate<WatchQuery> watch, Predicate<JsonNode> object, Duration delay) {
    return watches.delay(watch, object, delay);
  }

  /** Does the next binding, and closes the connection instead of answering. */
  public void loseNextBindingAnswer() {
    faults.plan(StandInApiServer::isBinding, new Trouble.AnswerLost());
  }

  /** Does the next binding, and answers after this long. */
  public void answerNextBindingLate(Duration delay) {
    faults.plan(StandInApiServer::isBinding, new Trouble.AnswerLate(delay));
  }

  /** Refuses the next matching request, without doing it, by a Status of this code. */
  public void refuseNext(
      Predicate<RecordedRequest> request, int code, String reason, String message) {
    faults.plan(request, new Trouble.Refused(new Refusal(code, reason, message)));
  }

  private static boolean isBinding(RecordedRequest request) {
    return request.method().equals("POST") && request.path().endsWith("/binding");
  }

  /** The last requests, oldest first. */
  public List<RecordedRequest> requests() {
    synchronized (requests) {
      return new ArrayList<>(requests);
    }
  }

  /** Requests that no caller of ours should make: unknown paths, verbs and media types. */
  public List<RecordedRequest> misuses() {
    return requests().stream()
        .filter(
            r ->
                Set.of(405, 415).contains(r.code())
                    || (r.code() == 404 && Routes.unknown(r.path())))
        .toList();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      RecordedRequest asked = asked(exchange);
      String authorization = header(exchange, "Authorization");
      Optional<Trouble> trouble = faults.strike(asked, authorization);
      Reply reply = reply(exchange, asked, trouble);
      if (trouble.orElse(null) instanceof Trouble.AnswerLost) {
        record(asked, 0);
        return;
      }
      if (trouble.orElse(null) instanceof Trouble.AnswerLate(Duration delay)) {
        Thread.sleep(delay);
      }
      send(exchange, asked, reply);
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private RecordedRequest asked(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readNBytes(LARGEST_BODY + 1);
    return new RecordedRequest(
        exchange.getRequestMethod(),
        exchange.getRequestURI().toString(),
        header(exchange, "User-Agent"),
        new String(body, StandardCharsets.UTF_8),
        0);
  }

  private static String header(HttpExchange exchange, String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }

  private Reply reply(HttpExchange exchange, RecordedRequest asked, Optional<Trouble> trouble)
      throws InterruptedException {
    try {
      if (trouble.orElse(null) instanceof Trouble.Refused(Refusal refusal)) {
        throw refusal;
      }
      if (asked.body().length() > LARGEST_BODY) {
        throw Refusal.tooLarge(LARGEST_BODY);
      }
      Reply reply = routes.answer(call(exchange, asked));
      if (faults.goneAsStatus() && reply instanceof Reply.Watching(WatchQuery query)) {
        Optional<Refusal> gone = watches.refusal(query);
        return gone.<Reply>map(r -> new Reply.Whole(r.code(), r.status())).orElse(reply);
      }
      return reply;
    } catch (Refusal refusal) {
      return new Reply.Whole(refusal.code(), refusal.status());
    }
  }

  private static Call call(HttpExchange exchange, RecordedRequest asked) {
    String query = exchange.getRequestURI().getRawQuery();
    return new Call(
        asked.method(),
        Call.segments(exchange.getRequestURI().getRawPath()),
        query == null ? Map.of() : Call.parameters(query),
        header(exchange, "Content-Type"),
        asked.userAgent(),
        asked.body());
  }

  private void send(HttpExchange exchange, RecordedRequest asked, Reply reply)
      throws IOException, InterruptedException {
    switch (reply) {
      case Reply.Whole(int code, var body) -> {
        record(asked, code);
        answer(exchange, code, "application/json", body.toString());
      }
      case Reply.Text(String line) -> {
        record(asked, 200);
        answer(exchange, 200, "text/plain", line);
      }
      case Reply.Watching(WatchQuery query) -> {
        record(asked, 200);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        watches.serve(query, exchange.getResponseBody());
      }
    }
  }

  private static void answer(HttpExchange exchange, int code, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(code, body.length);
    exchange.getResponseBody().write(body);
  }

  private void record(RecordedRequest asked, int code) {
    synchronized (requests) {
      requests.add(
          new RecordedRequest(asked.method(), asked.path(), asked.userAgent(), asked.body(), code));
      if (requests.size() > REMEMBERED_REQUESTS) {
        requests.removeFirst();
      }
    }
  }

  @Override
  public void close() {
    watches.close();
    try {
      wire.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      http.stop(0);
      threads.shutdownNow();
    }
  }
}
