package io.gpumem.bench.process;

import io.gpumem.bench.load.Caller;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The loopback ports of the processes, and the wait for what they serve there. */
public final class Ports {

  /** A look costs the starting process a connection, so that there must not be many more. */
  private static final Duration LOOK = Duration.ofMillis(2);

  private static final int OK = 200;

  private Ports() {}

  /** A port that nobody has at this moment. */
  public static int free() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /**
   * Waits until the process answers this request with a 200.
   *
   * @return the process's age then
   * @throws IllegalStateException when it ends, or does not within the limit
   */
  public static Duration awaitOk(Running process, int port, byte[] request, Duration limit) {
    while (process.age().compareTo(limit) < 0) {
      process.requireAlive();
      try (Caller caller = Caller.to(port)) {
        if (caller.call(request).status() == OK) {
          return process.age();
        }
      } catch (IOException notYet) {
        // Nobody listens yet.
        process.requireAlive();
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
    throw new IllegalStateException("expected a 200 at port " + port + " within " + limit);
  }

  /** One sample of a metric without labels. */
  public static double metric(int port, String name) throws IOException {
    try (Caller caller = Caller.to(port)) {
      return caller
          .call(Caller.get("/metrics"))
          .text()
          .lines()
          .filter(line -> line.startsWith(name + " "))
          .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("expected the metric " + name));
    }
  }
}
