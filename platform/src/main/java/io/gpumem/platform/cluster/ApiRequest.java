package io.gpumem.platform.cluster;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One request to the API server.
 *
 * @param path begins with a slash, encoded, with its query
 * @param contentType of the body, empty when there is none
 */
record ApiRequest(String method, String path, String contentType, String body) {

  static ApiRequest get(String path) {
    return new ApiRequest("GET", path, "", "");
  }

  static ApiRequest post(String path, String json) {
    return new ApiRequest("POST", path, "application/json", json);
  }

  static ApiRequest mergePatch(String path, String json) {
    return new ApiRequest("PATCH", path, "application/merge-patch+json", json);
  }

  /** One segment of a path or one value of a query, encoded. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** {@code ?a=b&c=d}, in the map's order. */
  static String query(Map<String, String> parameters) {
    return parameters.entrySet().stream()
        .map(e -> e.getKey() + "=" + encoded(e.getValue()))
        .collect(Collectors.joining("&", "?", ""));
  }
}
