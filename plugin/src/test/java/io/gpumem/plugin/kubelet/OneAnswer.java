package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/** Takes the answer to one call, and insists that there is one: a message or a status. */
final class OneAnswer<T> implements StreamObserver<T> {

  private Optional<T> message = Optional.empty();
  private Optional<Status> failed = Optional.empty();
  private boolean ended;

  @Override
  public void onNext(T value) {
    assertTrue(message.isEmpty() && !ended, "one message");
    message = Optional.of(value);
  }

  @Override
  public void onError(Throwable thrown) {
    assertFalse(ended, "one end");
    ended = true;
    failed = Optional.of(Status.fromThrowable(thrown));
  }

  @Override
  public void onCompleted() {
    assertFalse(ended, "one end");
    assertTrue(message.isPresent(), "a message before the end");
    ended = true;
  }

  /** The message; empty when the call failed. */
  Optional<T> given() {
    assertTrue(ended, "the call has ended");
    return failed.isPresent() ? Optional.empty() : message;
  }

  AssertionError failure() {
    return new AssertionError("the call failed: " + failed);
  }

  String code() {
    return failed.orElseThrow().getCode().name();
  }

  String why() {
    return String.valueOf(failed.orElseThrow().getDescription());
  }
}
