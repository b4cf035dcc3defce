package io.gpumem.demo.world;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What people ask the extender over HTTP. Thread-safe. */
public final class ExtenderClient implements AutoCloseable {

  /** An answer comes from memory; nobody waits longer at a terminal. */
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private static final int OK = 200;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(LIMIT).build();
  private final String url;

  ExtenderClient(String url) {
    this.url = url;
  }

  public String url() {
    return url;
  }

  /** The JSON at that path; empty when the extender is away or says anything but 200. */
  public Optional<JsonNode> get(String path) throws InterruptedException {
    return json(send(request(path).GET().build()));
  }

  /** Whether it answers that path with 200. */
  public boolean isOk(String path) throws InterruptedException {
    return send(request(path).GET().build()).isPresent();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url + path)).timeout(LIMIT);
  }

  private Optional<String> send(HttpRequest request) throws InterruptedException {
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      return response.statusCode() == OK ? Optional.of(response.body()) : Optional.empty();
    } catch (IOException away) {
      return Optional.empty();
    }
  }

  private static Optional<JsonNode> json(Optional<String> text) {
    try {
      return text.map(JSON::readTree);
    } catch (JacksonException notJson) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
    http.close();
  }
}
