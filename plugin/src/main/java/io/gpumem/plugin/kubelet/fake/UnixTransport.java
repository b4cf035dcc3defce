package io.gpumem.plugin.kubelet.fake;

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * gRPC over unix sockets, without native code: one event loop thread, and a virtual thread for each
 * call, as the kubelet has a goroutine for each.
 */
final class UnixTransport {
  /** What grpc-go accepts unless told otherwise; the kubelet tells it nothing. */
  static final int LARGEST_MESSAGE_BYTES = 4 * 1024 * 1024;

  /** Held, since a logger that nobody holds forgets its level. */
  private static final Logger NETTY_BOOTSTRAP = Logger.getLogger("io.netty.bootstrap");

  static {
    // gRPC sets SO_KEEPALIVE on every channel; a unix socket has none and netty warns each time.
    NETTY_BOOTSTRAP.setLevel(Level.SEVERE);
  }

  /** Far more than the threads of this machine need to end; beyond it something hangs. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private final EventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("stand-in-kubelet-io", true), NioIoHandler.newFactory());
  private final ExecutorService calls =
      Executors.newThreadPerTaskExecutor(
          Thread.ofVirtual().name("stand-in-kubelet-call-", 0).factory());
  private final Findings findings;
  private final Duration limit;

  UnixTransport(Findings findings) {
    this(findings, STOP_LIMIT);
  }

  UnixTransport(Findings findings, Duration limit) {
    this.findings = findings;
    this.limit = limit;
  }

  Server serve(Path socket, BindableService service) throws IOException {
    return NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
        .channelType(NioServerDomainSocketChannel.class)
        .bossEventLoopGroup(loop)
        .workerEventLoopGroup(loop)
        .executor(calls)
        .maxInboundMessageSize(LARGEST_MESSAGE_BYTES)
        .addService(service)
        .build()
        .start();
  }

  /** A channel that connects when first used. The authority is what the kubelet sends. */
  ManagedChannel channel(Path socket) {
    return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
        .channelType(NioDomainSocketChannel.class)
        .eventLoopGroup(loop)
        .executor(calls)
        .usePlaintext()
        .overrideAuthority("localhost")
        .maxInboundMessageSize(LARGEST_MESSAGE_BYTES)
        .build();
  }

  /** Stops a server at once and waits for its calls to end. */
  void stop(Server server, String name) {
    server.shutdownNow();
    await(() -> server.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS), name);
  }

  /** Closes a channel at once and waits for its calls to end. */
  void stop(ManagedChannel channel, String name) {
    channel.shutdownNow();
    await(() -> channel.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS), name);
  }

  /** Ends the threads; servers and channels must have been stopped before. */
  void close() {
    calls.shutdownNow();
    await(
        () -> calls.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS),
        "a thread of a call");
    loop.shutdownGracefully(0, limit.toMillis(), TimeUnit.MILLISECONDS);
    await(
        () -> loop.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS),
        "the event loop's thread");
  }

  private interface Wait {
    boolean ended() throws InterruptedException;
  }

  private void await(Wait wait, String name) {
    try {
      if (!wait.ended()) {
        findings.trouble(name + " did not end within " + limit.toMillis() + " ms");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      findings.trouble(name + " was not waited for, the thread that closes was interrupted");
    }
  }
}
