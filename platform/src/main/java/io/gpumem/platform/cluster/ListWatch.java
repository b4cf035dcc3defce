package io.gpumem.platform.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListMeta;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.gpumem.platform.cluster.ApiCalls.Opening;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The list and watch requests for one selection of one kind of object. */
final class ListWatch<O extends HasMetadata> {

  private static final int LONGEST_STATUS = 64 * 1024;

  /** Which objects: the collection's path and the selector parameters. */
  record Target<O extends HasMetadata>(
      String label,
      String path,
      Map<String, String> selectors,
      Class<O> type,
      Class<? extends KubernetesResourceList<O>> listType) {}

  /** One page of a list. */
  sealed interface Page<O> {

    /**
     * Some of the objects.
     *
     * @param next what to ask for the rest with, empty on the last page
     */
    record Items<O>(List<O> items, String version, Optional<String> next) implements Page<O> {}

    /** The list took too long for the server to remember: begin anew. */
    record Expired<O>(String why) implements Page<O> {}

    /** No page. */
    record Failed<O>(String why, Duration retryAfter) implements Page<O> {}
  }

  /** A watch, or why there is none. */
  sealed interface Watch<O extends HasMetadata> {
    /** The server accepted it. */
    record Open<O extends HasMetadata>(WatchReader<O> reader) implements Watch<O> {}

    /** The server has forgotten the place: list again. */
    record Expired<O extends HasMetadata>(String why) implements Watch<O> {}

    /** No watch. */
    record Failed<O extends HasMetadata>(String why, Duration retryAfter) implements Watch<O> {}
  }

  private final Target<O> target;
  private final ApiCalls calls;
  private final KubernetesSerialization serialization;
  private final ClusterSettings.Patience patience;
  private final Ticks ticks;

  ListWatch(
      Target<O> target,
      ApiCalls calls,
      KubernetesSerialization serialization,
      ClusterSettings.Patience patience,
      Ticks ticks) {
    this.target = target;
    this.calls = calls;
    this.serialization = serialization;
    this.patience = patience;
    this.ticks = ticks;
  }

  String label() {
    return target.label();
  }

  /**
   * A page of a consistent list: without resourceVersion=0, which would allow the server to answer
   * from a cache that may lag behind what we have already seen.
   */
  Page<O> page(Optional<String> token) {
    Map<String, String> parameters = new LinkedHashMap<>(target.selectors());
    parameters.put("limit", Integer.toString(patience.pageSize()));
    token.ifPresent(t -> parameters.put("continue", t));
    ApiRequest request = ApiRequest.get(target.path() + ApiRequest.query(parameters));
    return switch (calls.open(request, patience.request())) {
      case Opening.Failed(Answer answer) -> new Page.Failed<>(text(answer), Duration.ZERO);
      case Opening.Opened(int code, InputStream body, Duration retryAfter) when code != 200 -> {
        ApiStatus status = status(code, body);
        yield status.expired()
            ? new Page.Expired<>(status.text())
            : new Page.Failed<>(status.text(), retryAfter);
      }
      case Opening.Opened opened -> read(opened.body());
    };
  }

  /** The objects are parsed while they arrive: the page's text is never in memory as a whole. */
  private Page<O> read(InputStream body) {
    var cut = calls.closeAfter(body, patience.request());
    try (body) {
      KubernetesResourceList<O> list = serialization.unmarshal(body, target.listType());
      ListMeta meta = list.getMetadata();
      String token = meta.getContinue();
      return new Page.Items<>(
          list.getItems(),
          meta.getResourceVersion(),
          token == null || token.isEmpty() ? Optional.empty() : Optional.of(token));
    } catch (IOException | RuntimeException unreadable) {
      return new Page.Failed<>("list could not be read: " + unreadable, Duration.ZERO);
    } finally {
      cut.cancel(false);
    }
  }

  /** Watches from this place in the history on. */
  Watch<O> watch(String version, Duration lifetime) {
    Map<String, String> parameters = new LinkedHashMap<>(target.selectors());
    parameters.put("watch", "true");
    parameters.put("allowWatchBookmarks", "true");
    parameters.put("timeoutSeconds", Long.toString(Math.max(1, lifetime.toSeconds())));
    parameters.put("resourceVersion", version);
    ApiRequest request = ApiRequest.get(target.path() + ApiRequest.query(parameters));
    return switch (calls.open(request, patience.request())) {
      case Opening.Failed(Answer answer) -> new Watch.Failed<>(text(answer), Duration.ZERO);
      case Opening.Opened(int code, InputStream body, Duration retryAfter) when code != 200 -> {
        ApiStatus status = status(code, body);
        yield status.placeUnknown()
            ? new Watch.Expired<>(status.text())
            : new Watch.Failed<>(status.text(), retryAfter);
      }
      case Opening.Opened opened ->
          new Watch.Open<>(
              new WatchReader<>(opened.body(), serialization, target.type(), ticks.nanos()));
    };
  }

  private ApiStatus status(int code, InputStream body) {
    var cut = calls.closeAfter(body, patience.request());
    try (body) {
      byte[] text = body.readNBytes(LONGEST_STATUS);
      return ApiStatus.read(code, new String(text, StandardCharsets.UTF_8));
    } catch (IOException cutShort) {
      return new ApiStatus(code, "", cutShort.toString());
    } finally {
      cut.cancel(false);
    }
  }

  private static String text(Answer answer) {
    return switch (answer) {
      case Answer.Answered answered -> answered.status().text();
      case Answer.Unreached(String why) -> why;
      case Answer.Lost(String why) -> why;
    };
  }
}
