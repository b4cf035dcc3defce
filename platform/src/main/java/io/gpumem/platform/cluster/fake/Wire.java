package io.gpumem.platform.cluster.fake;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The cable in front of the HTTP server, on loopback: it can be cut, or go silent with every
 * connection still open, as a dead load balancer does. The JDK's server can do neither by itself.
 */
final class Wire implements AutoCloseable {

  private static final int BACKLOG = 128;
  private static final int BUFFER = 16 * 1024;

  private final ServerSocket front;
  private final int backPort;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition resumed = lock.newCondition();
  private boolean silent;
  private volatile boolean unplugged;

  private Wire(ServerSocket front, int backPort) {
    this.front = front;
    this.backPort = backPort;
  }

  static Wire to(int backPort, int frontPort) throws IOException {
    ServerSocket front = new ServerSocket(frontPort, BACKLOG, InetAddress.getLoopbackAddress());
    Wire wire = new Wire(front, backPort);
    Thread.ofVirtual().name("stand-in accept").start(wire::accept);
    return wire;
  }

  int port() {
    return front.getLocalPort();
  }

  /** Breaks every connection; new ones are taken. */
  void cut() {
    sockets.forEach(Wire::reset);
  }

  /** While unplugged, every connection breaks as soon as it is made. */
  void unplugged(boolean now) {
    unplugged = now;
    if (now) {
      cut();
    }
  }

  /** While silent, connections stay open and nothing passes. */
  void silent(boolean now) {
    lock.lock();
    try {
      silent = now;
      resumed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void accept() {
    while (!front.isClosed()) {
      try {
        connect(front.accept());
      } catch (IOException closed) {
        if (!front.isClosed()) {
          throw new UncheckedIOException(closed);
        }
      }
    }
  }

  private void connect(Socket client) {
    Socket server = new Socket();
    sockets.add(client);
    sockets.add(server);
    try {
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), backPort));
      Thread.ofVirtual().start(() -> pump(client, server));
      Thread.ofVirtual().start(() -> pump(server, client));
    } catch (IOException noServer) {
      reset(client);
      reset(server);
    }
    // Looked at last: a cut between the accept and here did not see these sockets.
    if (unplugged) {
      reset(client);
      reset(server);
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER];
    try (from;
        to;
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        awaitSound();
        out.write(buffer, 0, n);
      }
    } catch (IOException cut) {
      // One end is gone, and by now the other is closed too: all there is to do.
      assert from.isClosed() && to.isClosed();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } finally {
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private void awaitSound() throws InterruptedException {
    lock.lock();
    try {
      while (silent) {
        resumed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the connection by a reset instead of an orderly close. */
  private static void reset(Socket socket) {
    try (socket) {
      socket.setSoLinger(true, 0);
    } catch (IOException closedAlready) {
      // Closed is what it should be.
      assert socket.isClosed();
    }
  }

  @Override
  public void close() throws IOException {
    front.close();
    silent(false);
    cut();
  }
}
