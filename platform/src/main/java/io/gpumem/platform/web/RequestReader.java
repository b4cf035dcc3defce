package io.gpumem.platform.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import java.net.URLDecoder;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Makes our request of the JDK's. */
final class RequestReader {

  private RequestReader() {}

  static Request read(HttpExchange exchange, byte[] body) {
    var method = exchange.getRequestMethod();
    var uri = exchange.getRequestURI();
    return new Request(
        method.equals("HEAD") ? "GET" : method,
        uri.getPath(),
        query(Optional.ofNullable(uri.getRawQuery()).orElse("")),
        headers(exchange.getRequestHeaders()),
        body);
  }

  static Map<String, String> query(String raw) {
    var query = new HashMap<String, String>();
    for (var pair : raw.split("&", -1)) {
      int equals = pair.indexOf('=');
      var name = equals < 0 ? pair : pair.substring(0, equals);
      if (!name.isEmpty()) {
        query.putIfAbsent(decode(name), equals < 0 ? "" : decode(pair.substring(equals + 1)));
      }
    }
    return query;
  }

  private static Map<String, String> headers(Map<String, List<String>> all) {
    var headers = new HashMap<String, String>();
    all.forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
    return headers;
  }

  /** java.net.URI has checked every escape by now. */
  private static String decode(String text) {
    return URLDecoder.decode(text, UTF_8);
  }
}
