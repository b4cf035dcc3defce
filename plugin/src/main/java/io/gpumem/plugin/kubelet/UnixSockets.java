package io.gpumem.plugin.kubelet;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * gRPC over unix sockets with netty's NIO channels, which need no native library. One event loop
 * serves all sockets; calls run on virtual threads, because a call may wait a moment and the dial
 * back inside Register must be served meanwhile.
 */
public final class UnixSockets implements AutoCloseable {

  /** Availability lists of the kubelet can be larger than gRPC's default of 4 MiB. */
  static final int MOST_BYTES = 64 << 20;

  /** What the kubelet itself sends; a path as authority has tripped other HTTP/2 stacks. */
  private static final String AUTHORITY = "localhost";

  private static final int STOP_SECONDS = 2;

  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();

  Server serve(Path socket, io.grpc.BindableService service) throws IOException {
    return NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
        .channelType(NioServerDomainSocketChannel.class)
        .bossEventLoopGroup(loop)
        .workerEventLoopGroup(loop)
        .executor(calls)
        .maxInboundMessageSize(MOST_BYTES)
        .addService(service)
        .build()
        .start();
  }

  ManagedChannel connect(Path socket) {
    return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
        .channelType(NioDomainSocketChannel.class)
        .eventLoopGroup(loop)
        .executor(calls)
        .overrideAuthority(AUTHORITY)
        .maxInboundMessageSize(MOST_BYTES)
        .usePlaintext()
        .build();
  }

  /** Whether somebody accepts connections on a socket file. */
  static boolean isServed(Path socket) {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      return channel.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }

  /** What tells one file of a name from the next: a new kubelet's socket has another identity. */
  static Optional<String> identity(Path file) {
    try {
      Map<String, Object> attributes = Files.readAttributes(file, "unix:ino,ctime,dev");
      return Optional.of(attributes.toString());
    } catch (IOException | UnsupportedOperationException missing) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    calls.shutdownNow();
    loop.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
  }
}
