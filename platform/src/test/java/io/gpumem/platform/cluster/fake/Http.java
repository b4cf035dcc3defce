package io.gpumem.platform.cluster.fake;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Iterator;
import tools.jackson.databind.JsonNode;

/** A plain HTTP client, so that the stand-in is also judged without the adapter. */
final class Http {

  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String url;

  Http(String url) {
    this.url = url;
  }

  record Answer(int code, JsonNode body) {
    String reason() {
      return body.path("reason").asString("");
    }

    String message() {
      return body.path("message").asString("");
    }

    String version() {
      return body.path("metadata").path("resourceVersion").asString("");
    }
  }

  Answer get(String path) throws Exception {
    return send("GET", path, "application/json", "");
  }

  Answer post(String path, String body) throws Exception {
    return send("POST", path, "application/json", body);
  }

  Answer patch(String path, String body) throws Exception {
    return send("PATCH", path, "application/merge-patch+json", body);
  }

  Answer delete(String path, String body) throws Exception {
    return send("DELETE", path, "application/json", body);
  }

  Answer send(String method, String path, String type, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(DEADLINE)
            .header("Content-Type", type)
            .method(method, BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
    return new Answer(response.statusCode(), Json.MAPPER.readTree(response.body()));
  }

  /** An open watch, or how it was refused. */
  Watch watch(String path) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + path)).timeout(DEADLINE).build();
    HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
    return new Watch(response.statusCode(), response.body());
  }

  /** Reads events one by one; the server's {@code timeoutSeconds} bounds the wait. */
  static final class Watch implements AutoCloseable {
    private final int code;
    private final InputStream body;
    private final Iterator<JsonNode> events;

    Watch(int code, InputStream body) {
      this.code = code;
      this.body = body;
      this.events = Json.MAPPER.readerFor(JsonNode.class).readValues(body);
    }

    int code() {
      return code;
    }

    JsonNode next() {
      return events.next();
    }

    /** {@code "ADDED name"}. */
    String line() {
      JsonNode event = next();
      String name = event.path("object").path("metadata").path("name").asString("");
      return event.path("type").asString("") + " " + name;
    }

    boolean ended() {
      return !events.hasNext();
    }

    @Override
    public void close() throws IOException {
      body.close();
    }
  }
}
