package io.gpumem.platform.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request with its whole body. A handler that a HEAD request reaches sees GET.
 *
 * @param path decoded, without the query
 * @param query decoded; of a repeated name the first value
 * @param headers by lower-case name; of a repeated header the first value
 * @param body not copied; nobody writes to it
 */
@SuppressWarnings("ArrayRecordComponent") // Bodies are compared nowhere, and a copy costs 16 MiB.
public record Request(
    String method,
    String path,
    Map<String, String> query,
    Map<String, String> headers,
    byte[] body) {

  public Request {
    query = Map.copyOf(query);
    headers = Map.copyOf(headers);
  }

  /** A request as a test makes one: no query, no headers, no body. */
  public static Request get(String path) {
    return new Request("GET", path, Map.of(), Map.of(), new byte[0]);
  }

  /** A request as a test makes one: a JSON body. */
  public static Request post(String path, String json) {
    var headers = Map.of("content-type", "application/json");
    return new Request("POST", path, Map.of(), headers, json.getBytes(UTF_8));
  }

  /** The header's value, by its name in any case. */
  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
  }

  /** The body as UTF-8. */
  public String text() {
    return new String(body, UTF_8);
  }
}
