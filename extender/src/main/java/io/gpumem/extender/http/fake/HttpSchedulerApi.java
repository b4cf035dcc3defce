package io.gpumem.extender.http.fake;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** An API server without credentials, over HTTP. Safe from any thread. */
public final class HttpSchedulerApi implements SchedulerApi, AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int SUCCESS = 2;

  private final ObjectMapper json = JsonMapper.builder().build();
  private final HttpClient http = HttpClient.newHttpClient();
  private final String url;

  /**
   * @param url the server's, without a slash at the end
   */
  public HttpSchedulerApi(String url) {
    this.url = url;
  }

  @Override
  public List<JsonNode> pods() throws IOException, InterruptedException {
    return items("/api/v1/pods");
  }

  @Override
  public List<JsonNode> nodes() throws IOException, InterruptedException {
    return items("/api/v1/nodes");
  }

  private List<JsonNode> items(String path) throws IOException, InterruptedException {
    String body = send(request(path).GET());
    try {
      return List.copyOf(json.readTree(body).path("items").values());
    } catch (JacksonException noJson) {
      throw new IOException("expected a list under " + path, noJson);
    }
  }

  @Override
  public void patchStatus(String namespace, String name, ObjectNode patch)
      throws IOException, InterruptedException {
    var unused =
        send(
            request(pod(namespace, name) + "/status")
                .header("Content-Type", "application/merge-patch+json")
                .method("PATCH", HttpRequest.BodyPublishers.ofString(patch.toString())));
  }

  @Override
  public void bind(String namespace, String name, String uid, String node)
      throws IOException, InterruptedException {
    ObjectNode binding = json.createObjectNode().put("apiVersion", "v1").put("kind", "Binding");
    binding.putObject("metadata").put("name", name).put("namespace", namespace).put("uid", uid);
    binding.putObject("target").put("kind", "Node").put("name", node);
    var unused =
        send(
            request(pod(namespace, name) + "/binding")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(binding.toString())));
  }

  private static String pod(String namespace, String name) {
    return "/api/v1/namespaces/" + namespace + "/pods/" + name;
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url + path)).timeout(TIMEOUT);
  }

  private String send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response =
        http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() / 100 != SUCCESS) {
      throw new IOException(
          response.request().method()
              + " "
              + response.uri()
              + ": "
              + response.statusCode()
              + " "
              + response.body());
    }
    return response.body();
  }

  @Override
  public void close() {
    http.shutdownNow();
    http.close();
  }
}
