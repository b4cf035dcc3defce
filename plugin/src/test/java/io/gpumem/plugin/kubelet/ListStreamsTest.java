package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.gpumem.proto.deviceplugin.v1beta1.Device;
import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

final class ListStreamsTest {

  private static final ListAndWatchResponse OLD = list("old");
  private static final ListAndWatchResponse MIDDLE = list("middle");
  private static final ListAndWatchResponse NEW = list("new");

  private final AtomicInteger ended = new AtomicInteger();
  private final ListStreams streams = new ListStreams(OLD, ended::incrementAndGet);

  @SuppressWarnings("unchecked")
  private final ServerCallStreamObserver<ListAndWatchResponse> kubelet =
      mock(ServerCallStreamObserver.class);

  private final ArgumentCaptor<Runnable> ready = ArgumentCaptor.forClass(Runnable.class);
  private final ArgumentCaptor<Runnable> cancelled = ArgumentCaptor.forClass(Runnable.class);

  ListStreamsTest() {
    doNothing().when(kubelet).setOnReadyHandler(ready.capture());
    doNothing().when(kubelet).setOnCancelHandler(cancelled.capture());
  }

  @Test
  void sendsTheListAtOnceAndEachOtherListOnce() {
    when(kubelet.isReady()).thenReturn(true);
    streams.open(kubelet);
    streams.update(OLD);
    streams.update(NEW);
    streams.update(NEW);

    var order = inOrder(kubelet);
    order.verify(kubelet).onNext(OLD);
    order.verify(kubelet).onNext(NEW);
    verify(kubelet, never()).onNext(MIDDLE);
    order.verify(kubelet, never()).onNext(any());
  }

  @Test
  void sendsOnlyTheNewestListToAStreamThatWasNotReady() {
    when(kubelet.isReady()).thenReturn(false);
    streams.open(kubelet);
    streams.update(MIDDLE);
    streams.update(NEW);
    verify(kubelet, never()).onNext(any());

    when(kubelet.isReady()).thenReturn(true);
    ready.getValue().run();
    ready.getValue().run();

    verify(kubelet).onNext(NEW);
    verify(kubelet, never()).onNext(OLD);
    verify(kubelet, never()).onNext(MIDDLE);
  }

  @Test
  void forgetsACancelledStreamAndTells() {
    when(kubelet.isReady()).thenReturn(true);
    streams.open(kubelet);
    assertTrue(streams.isOpen());

    when(kubelet.isCancelled()).thenReturn(true);
    cancelled.getValue().run();
    streams.update(NEW);

    assertFalse(streams.isOpen());
    assertEquals(1, ended.get());
    verify(kubelet, never()).onNext(NEW);
  }

  @Test
  void sendsNothingToAStreamThatIsCancelledBeforeItsHandlerRan() {
    when(kubelet.isReady()).thenReturn(true);
    when(kubelet.isCancelled()).thenReturn(true);

    streams.open(kubelet);
    streams.close();

    verify(kubelet, never()).onNext(any());
    verify(kubelet, never()).onCompleted();
  }

  @Test
  void completesItsStreamsWhenItCloses() {
    streams.open(kubelet);

    streams.close();
    streams.close();

    verify(kubelet).onCompleted();
    assertFalse(streams.isOpen());
  }

  private static ListAndWatchResponse list(String id) {
    return ListAndWatchResponse.newBuilder().addDevices(Device.newBuilder().setID(id)).build();
  }
}
