package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The connections to plugins, and which of them counts. When a stream ends, the kubelet looks its
 * connection up again and disconnects <em>what it finds</em>: up to 1.36 it looks by the resource's
 * name alone and so can find a newer plugin's connection; from 1.37 by name and socket path.
 */
final class PluginClients {

  /** What connections report to. */
  interface Events {
    void connected(PluginClient client, DevicePluginOptions options);

    void received(PluginClient client, ListAndWatchResponse list);

    void disconnected(PluginClient client);
  }

  private final Release release;
  private final Duration dialTimeout;
  private final UnixTransport transport;
  private final Events events;

  /** Those that can be looked up, oldest first. */
  private final List<PluginClient> registered = new ArrayList<>();

  /** Those whose stream has not ended. */
  private final List<PluginClient> open = new ArrayList<>();

  private boolean closed;

  PluginClients(Release release, Duration dialTimeout, UnixTransport transport, Events events) {
    this.release = release;
    this.dialTimeout = dialTimeout;
    this.transport = transport;
    this.events = events;
  }

  /** Dials back, asks the options and opens the stream; the reason if that fails. */
  PluginAnswer<DevicePluginOptions> connect(String resource, Path socket) {
    PluginClient client = new PluginClient(resource, socket, transport);
    register(client);
    PluginAnswer<DevicePluginOptions> answer =
        client.dial(dialTimeout)
            ? client.options()
            : new PluginAnswer.Refused<>(
                "",
                "failed to dial device plugin with socketPath " + socket + ": deadline exceeded");
    switch (answer) {
      case PluginAnswer.Refused<DevicePluginOptions> _ -> {
        deregister(client);
        client.close();
      }
      case PluginAnswer.Given<DevicePluginOptions>(DevicePluginOptions options) -> {
        if (track(client)) {
          events.connected(client, options);
          client.watch(list -> events.received(client, list), () -> ended(client));
        } else {
          client.close();
        }
      }
    }
    return answer;
  }

  /** Cancels the stream of each open connection of the resource, and nothing else. */
  void cancelStreams(String resource) {
    openClients().stream()
        .filter(client -> client.resource().equals(resource))
        .forEach(PluginClient::cancelStream);
  }

  synchronized int openStreams() {
    return open.size();
  }

  /** Closes all connections, as a kubelet that dies does. */
  void close() {
    synchronized (this) {
      closed = true;
      registered.clear();
    }
    openClients().forEach(PluginClient::close);
  }

  private synchronized List<PluginClient> openClients() {
    return new ArrayList<>(open);
  }

  private void ended(PluginClient client) {
    client.disconnect();
    Optional<PluginClient> found;
    synchronized (this) {
      open.remove(client);
      found = find(client);
      found.ifPresent(registered::remove);
    }
    // Not always the client that ended: see above.
    found.ifPresent(
        victim -> {
          victim.disconnect();
          events.disconnected(victim);
        });
  }

  private synchronized void register(PluginClient client) {
    if (release == Release.V1_36) {
      registered.removeIf(other -> other.resource().equals(client.resource()));
    }
    registered.add(client);
  }

  private synchronized void deregister(PluginClient client) {
    find(client).ifPresent(registered::remove);
  }

  private Optional<PluginClient> find(PluginClient client) {
    return registered.stream()
        .filter(other -> other.resource().equals(client.resource()))
        .filter(other -> release == Release.V1_36 || other.socket().equals(client.socket()))
        .findFirst();
  }

  private synchronized boolean track(PluginClient client) {
    return !closed && open.add(client);
  }
}
