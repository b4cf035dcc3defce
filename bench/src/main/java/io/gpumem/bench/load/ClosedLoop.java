package io.gpumem.bench.load;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Callers that each send the next request as soon as the last is answered, for a time. They run in
 * this process, so that on a small machine they take cores from the server they measure.
 */
public final class ClosedLoop {

  /** Hands a caller its next request; any thread. */
  @FunctionalInterface
  public interface Requests {
    byte[] next(int caller, int turn);
  }

  private final int port;
  private final int callers;

  public ClosedLoop(int port, int callers) {
    this.port = port;
    this.callers = callers;
  }

  /**
   * Runs for that long.
   *
   * @throws IllegalStateException when an answer is not a 200
   */
  public List<Exchange> run(Requests requests, Duration time) throws Exception {
    long end = System.nanoTime() + time.toNanos();
    return run(requests, turn -> System.nanoTime() < end);
  }

  /** Runs so many requests for each caller. */
  public List<Exchange> run(Requests requests, int each) throws Exception {
    return run(requests, (int turn) -> turn < each);
  }

  private interface While {
    boolean goesOn(int turn);
  }

  private List<Exchange> run(Requests requests, While condition) throws Exception {
    List<Exchange> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(callers)) {
      List<Future<List<Exchange>>> running = new ArrayList<>();
      for (int caller = 0; caller < callers; caller++) {
        int number = caller;
        Callable<List<Exchange>> loop = () -> loop(number, requests, condition);
        running.add(threads.submit(loop));
      }
      for (Future<List<Exchange>> each : running) {
        all.addAll(each.get());
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a caller failed", e);
    }
    return all;
  }

  private List<Exchange> loop(int number, Requests requests, While condition) throws IOException {
    List<Exchange> answered = new ArrayList<>();
    try (Caller caller = Caller.to(port)) {
      for (int turn = 0; condition.goesOn(turn); turn++) {
        Exchange exchange = caller.call(requests.next(number, turn));
        if (exchange.status() != 200) {
          throw new IllegalStateException(
              "expected 200 but was " + exchange.status() + ": " + exchange.text());
        }
        answered.add(exchange);
      }
    }
    return answered;
  }
}
