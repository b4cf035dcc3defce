package io.gpumem.platform.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Reads of one object. No resourceVersion in the request: such a GET is a consistent read. */
final class Reads {

  private final ApiCalls calls;
  private final KubernetesSerialization serialization;

  Reads(ApiCalls calls, KubernetesSerialization serialization) {
    this.calls = calls;
    this.serialization = serialization;
  }

  static String podPath(String namespace, String name) {
    return "/api/v1/namespaces/"
        + ApiRequest.encoded(namespace)
        + "/pods/"
        + ApiRequest.encoded(name);
  }

  static String nodePath(String name) {
    return "/api/v1/nodes/" + ApiRequest.encoded(name);
  }

  <T> Reading<T> pod(
      String namespace, String name, Function<Pod, Optional<T>> trim, Duration deadline) {
    return read(podPath(namespace, name), Pod.class, trim, deadline);
  }

  <T> Reading<T> node(String name, Function<Node, Optional<T>> trim, Duration deadline) {
    return read(nodePath(name), Node.class, trim, deadline);
  }

  private <O extends HasMetadata, T> Reading<T> read(
      String path, Class<O> type, Function<O, Optional<T>> trim, Duration deadline) {
    return switch (calls.call(ApiRequest.get(path), deadline)) {
      case Answer.Unreached(String why) -> new Reading.Unread<>(why);
      case Answer.Lost(String why) -> new Reading.Unread<>(why);
      case Answer.Answered answer when answer.status().objectNotFound() -> new Reading.Absent<>();
      case Answer.Answered answer when !answer.success() ->
          new Reading.Unread<>(answer.status().text());
      case Answer.Answered answer -> trimmed(answer.body(), type, trim);
    };
  }

  private <O extends HasMetadata, T> Reading<T> trimmed(
      String body, Class<O> type, Function<O, Optional<T>> trim) {
    Optional<T> value;
    try {
      O object = serialization.unmarshal(body, type);
      if (object.getMetadata() == null) {
        return new Reading.Unread<>("an answer that is no object");
      }
      value = trim.apply(object);
    } catch (RuntimeException unreadable) {
      return new Reading.Unread<>(unreadable.toString());
    }
    return value.<Reading<T>>map(Reading.Found::new).orElseGet(Reading.Absent::new);
  }
}
