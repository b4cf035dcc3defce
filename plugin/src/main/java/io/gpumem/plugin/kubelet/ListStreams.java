package io.gpumem.plugin.kubelet;

import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayList;
import java.util.List;

/**
 * The open ListAndWatch streams of one socket, in practice one. Each message replaces the kubelet's
 * whole list, so a stream that is slow gets the newest list when it is ready and never a queue.
 * Thread-safe.
 */
final class ListStreams {

  private final Runnable ended;
  private final List<Stream> open = new ArrayList<>();
  private ListAndWatchResponse current;

  /**
   * @param ended told when the kubelet ended a stream
   */
  ListStreams(ListAndWatchResponse first, Runnable ended) {
    this.current = first;
    this.ended = ended;
  }

  /**
   * One stream with what it was last sent; the observer is not thread-safe, the lock makes it so.
   */
  private final class Stream {
    private final ServerCallStreamObserver<ListAndWatchResponse> observer;
    private boolean sentCurrent;

    Stream(ServerCallStreamObserver<ListAndWatchResponse> observer) {
      this.observer = observer;
    }

    void flush() {
      if (!sentCurrent && observer.isReady() && !observer.isCancelled()) {
        observer.onNext(current);
        sentCurrent = true;
      }
    }
  }

  synchronized void open(ServerCallStreamObserver<ListAndWatchResponse> observer) {
    Stream stream = new Stream(observer);
    open.add(stream);
    observer.setOnCancelHandler(() -> ended(stream));
    observer.setOnReadyHandler(() -> flush(stream));
    stream.flush();
  }

  private synchronized void flush(Stream stream) {
    stream.flush();
  }

  private void ended(Stream stream) {
    synchronized (this) {
      open.remove(stream);
    }
    ended.run();
  }

  /** Tells the kubelet a new list, if it is another one. */
  synchronized void update(ListAndWatchResponse list) {
    if (!list.equals(current)) {
      current = list;
      for (Stream stream : open) {
        stream.sentCurrent = false;
        stream.flush();
      }
    }
  }

  synchronized boolean isOpen() {
    return !open.isEmpty();
  }

  /** Ends all streams, as a server must before it stops, or it would wait for them. */
  void close() {
    List<Stream> closing;
    synchronized (this) {
      closing = List.copyOf(open);
      open.clear();
    }
    for (Stream stream : closing) {
      synchronized (this) {
        if (!stream.observer.isCancelled()) {
          stream.observer.onCompleted();
        }
      }
    }
  }
}
