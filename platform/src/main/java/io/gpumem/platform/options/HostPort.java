package io.gpumem.platform.options;

import java.net.InetSocketAddress;

/**
 * An address to listen on or to connect to.
 *
 * @param host a name or address, IPv6 without brackets; empty for every address of this machine
 * @param port from 0 to 65535; 0 lets the system choose when listening
 */
public record HostPort(String host, int port) {

  HostPort(String host, long port) {
    this(host, Math.toIntExact(port));
  }

  /** The socket's address; a host name is looked up here, and may stay unresolved. */
  public InetSocketAddress address() {
    return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
  }

  /** As {@link Parsers#hostPort} reads it. */
  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
