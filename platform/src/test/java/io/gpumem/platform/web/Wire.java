package io.gpumem.platform.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A client that writes raw bytes, since a real client would not misbehave. Every read has a
 * deadline of 20 s.
 */
final class Wire implements AutoCloseable {

  /** A raw answer. */
  record Answer(int status, Map<String, String> headers, String body) {}

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  Wire(int port) throws IOException {
    socket = new Socket();
    // Small, so that a large body is still being sent while the server answers.
    socket.setSendBufferSize(8 * 1024);
    socket.setSoTimeout(20_000);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  Wire send(String text) throws IOException {
    out.write(text.getBytes(ISO_8859_1));
    out.flush();
    return this;
  }

  /** Ends what is sent, while answers can still be read. */
  Wire endSending() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  Answer get(String path) throws IOException {
    return send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").answer();
  }

  Answer post(String path, String body) throws IOException {
    return send("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(path, body.length(), body))
        .answer();
  }

  Answer answer() throws IOException {
    return answer(true);
  }

  /** The answer to a HEAD request, which has no body whatever its headers say. */
  Answer answerWithoutBody() throws IOException {
    return answer(false);
  }

  /** Whether the server closed the connection; waits until it does or sends something. */
  boolean isClosed() throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private Answer answer(boolean hasBody) throws IOException {
    int status = Integer.parseInt(line().split(" ", 3)[1]);
    var headers = new TreeMap<String, String>();
    for (var line = line(); !line.isEmpty(); line = line()) {
      var colon = line.indexOf(':');
      headers.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 2));
    }
    int length = hasBody ? Integer.parseInt(headers.getOrDefault("content-length", "0")) : 0;
    var body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("expected " + length + " bytes but was " + body.length);
    }
    return new Answer(status, headers, new String(body, ISO_8859_1));
  }

  private String line() throws IOException {
    var line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("expected a line but the connection ended after \"" + line + "\"");
      }
      line.append((char) c);
    }
    return line.toString().stripTrailing();
  }
}
