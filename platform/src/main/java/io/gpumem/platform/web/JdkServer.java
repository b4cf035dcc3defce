package io.gpumem.platform.web;

import java.util.Map;

/**
 * The limits of the JDK's HTTP server that only system properties set (module jdk.httpserver,
 * {@code sun.net.httpserver.ServerConfig} of JDK 25). They are read once, when the server's classes
 * are loaded. What the command line sets wins.
 */
final class JdkServer {

  private static final Map<String, String> LIMITS =
      Map.of(
          // Seconds. The scheduler's Go client closes idle connections after 90 s. The client must
          // be the first: a server that closes just as a request arrives makes that request fail.
          "sun.net.httpserver.idleInterval",
          "120",
          // Seconds, a second net under our own read limit; it also closes after this time a
          // connection on which nothing was ever sent.
          "sun.net.httpserver.maxReqTime",
          "60",
          // More than all clients in a cluster hold; without it idle connections grow for free.
          "jdk.httpserver.maxConnections",
          "1024",
          // Bytes of all headers together; by default 380 KiB for each connection.
          "sun.net.httpserver.maxReqHeaderSize",
          "65536",
          "sun.net.httpserver.nodelay",
          "true");

  private JdkServer() {}

  static void setLimits() {
    LIMITS.forEach(
        (name, value) -> {
          if (System.getProperty(name) == null) {
            System.setProperty(name, value);
          }
        });
  }
}
