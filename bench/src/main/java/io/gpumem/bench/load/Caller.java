package io.gpumem.bench.load;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/**
 * One caller on one kept connection, on a plain socket: no HTTP library stands between the clock
 * and the kernel. It knows only what the programs' own server answers: a Content-Length, no chunks.
 * One thread at a time.
 */
public final class Caller implements AutoCloseable {

  /** Far beyond any answer that is still worth a sample. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final int FIRST_BUFFER = 64 * 1024;
  private static final byte[] HEAD_END = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Socket socket;
  private byte[] buffer = new byte[FIRST_BUFFER];
  private int filled;

  private Caller(Socket socket) {
    this.socket = socket;
  }

  /**
   * Connects on loopback.
   *
   * @throws IOException when nobody listens
   */
  public static Caller to(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return new Caller(socket);
  }

  /** A whole request as it goes over the wire. */
  public static byte[] post(String path, String json) {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    byte[] head =
        ("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: %d\r\n\r\n")
            .formatted(path, body.length)
            .getBytes(StandardCharsets.US_ASCII);
    byte[] request = Arrays.copyOf(head, head.length + body.length);
    System.arraycopy(body, 0, request, head.length, body.length);
    return request;
  }

  /** A whole request as it goes over the wire. */
  public static byte[] get(String path) {
    return "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"
        .formatted(path)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Sends one request and reads its answer to the end. */
  public Exchange call(byte[] request) throws IOException {
    filled = 0;
    long begun = System.nanoTime();
    socket.getOutputStream().write(request);
    long sent = System.nanoTime();
    read();
    long first = System.nanoTime();
    int headEnd = head();
    String head = new String(buffer, 0, headEnd, StandardCharsets.US_ASCII);
    int end = headEnd + length(head);
    while (filled < end) {
      read();
    }
    long last = System.nanoTime();
    int status = Integer.parseInt(head.substring(head.indexOf(' ') + 1).substring(0, 3));
    return new Exchange(
        status,
        Arrays.copyOfRange(buffer, headEnd, end),
        Duration.ofNanos(first - sent),
        Duration.ofNanos(last - begun));
  }

  private void read() throws IOException {
    if (filled == buffer.length) {
      buffer = Arrays.copyOf(buffer, 2 * buffer.length);
    }
    int more = socket.getInputStream().read(buffer, filled, buffer.length - filled);
    if (more < 0) {
      throw new EOFException("the server closed the connection");
    }
    filled += more;
  }

  /** Where the body begins. */
  private int head() throws IOException {
    int at = 0;
    while (true) {
      for (; at + HEAD_END.length <= filled; at++) {
        int end = at + HEAD_END.length;
        if (Arrays.equals(buffer, at, end, HEAD_END, 0, HEAD_END.length)) {
          return end;
        }
      }
      read();
    }
  }

  private static int length(String head) {
    String name = "content-length:";
    return head.lines()
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name))
        .map(line -> Integer.parseInt(line.substring(name.length()).strip()))
        .findFirst()
        .orElse(0);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
