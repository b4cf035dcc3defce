package io.gpumem.platform.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.gpumem.platform.log.JsonText;
import java.util.Map;

/**
 * An answer.
 *
 * @param status 200 to 599
 * @param headers besides Content-Type, Content-Length, Date and Connection
 * @param body not copied; nobody writes to it
 * @param close whether the connection ends with this answer, so that the client's next request
 *     makes a new one, perhaps to another server
 */
@SuppressWarnings("ArrayRecordComponent") // Bodies are compared nowhere.
public record Response(
    int status, String contentType, Map<String, String> headers, byte[] body, boolean close) {

  private static final String JSON = "application/json";
  private static final String TEXT = "text/plain; charset=utf-8";

  public Response {
    if (status < 200 || status > 599) {
      throw new IllegalArgumentException("expected a final HTTP status but was " + status);
    }
    headers = Map.copyOf(headers);
  }

  public static Response json(int status, byte[] utf8) {
    return new Response(status, JSON, Map.of(), utf8, false);
  }

  public static Response json(int status, String json) {
    return json(status, json.getBytes(UTF_8));
  }

  public static Response text(int status, String text) {
    return new Response(status, TEXT, Map.of(), text.getBytes(UTF_8), false);
  }

  /** {@code {"error": "sentence"}}, the form of every failure that this server answers itself. */
  public static Response error(int status, String sentence) {
    return json(status, "{\"error\":" + JsonText.quote(sentence) + "}");
  }

  /** The same answer with {@code Connection: close}. */
  public Response closing() {
    return new Response(status, contentType, headers, body, true);
  }

  Response with(String header, String value) {
    return new Response(status, contentType, Map.of(header, value), body, close);
  }
}
