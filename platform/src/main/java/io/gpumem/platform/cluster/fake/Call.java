package io.gpumem.platform.cluster.fake;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One HTTP request.
 *
 * @param path the segments, decoded
 */
record Call(
    String method,
    List<String> path,
    Map<String, String> query,
    String contentType,
    String userAgent,
    String body) {

  static List<String> segments(String rawPath) {
    return Arrays.stream(rawPath.split("/", -1)).skip(1).map(Call::decoded).toList();
  }

  static Map<String, String> parameters(String rawQuery) {
    Map<String, String> parameters = new HashMap<>();
    for (String pair : rawQuery.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        parameters.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
      }
    }
    return parameters;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  String parameter(String name) {
    return query.getOrDefault(name, "");
  }

  boolean flag(String name) {
    String value = parameter(name);
    return value.equals("true") || value.equals("1");
  }

  long number(String name) {
    String value = parameter(name);
    if (value.isEmpty()) {
      return 0;
    }
    try {
      return Long.parseUnsignedLong(value);
    } catch (NumberFormatException notOne) {
      throw Refusal.badRequest(name + ": Invalid value: \"" + value + "\"");
    }
  }
}
