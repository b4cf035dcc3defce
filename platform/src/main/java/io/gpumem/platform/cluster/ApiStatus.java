package io.gpumem.platform.cluster;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * The Status object by which the API server explains an answer.
 *
 * @param reason the machine-readable word, empty when the answer came from something else (a proxy)
 */
record ApiStatus(int code, String reason, String message) {

  private static final int LONGEST_FOREIGN_TEXT = 200;

  static ApiStatus read(int code, String body) {
    try {
      return read(code, Json.MAPPER.readTree(body));
    } catch (JacksonException notJson) {
      String text = body.strip();
      return new ApiStatus(
          code, "", text.substring(0, Math.min(LONGEST_FOREIGN_TEXT, text.length())));
    }
  }

  static ApiStatus read(int code, JsonNode status) {
    if (!status.path("kind").asString("").equals("Status")) {
      return new ApiStatus(code, "", "an answer that is no Status");
    }
    return new ApiStatus(
        status.path("code").asInt(code),
        status.path("reason").asString(""),
        status.path("message").asString(""));
  }

  /** The server means the object, not the path: only then has something vanished. */
  boolean objectNotFound() {
    return code == 404 && reason.equals("NotFound");
  }

  /** The server no longer knows the place in its history that we named. */
  boolean expired() {
    return code == 410;
  }

  /**
   * A watch can't go on from its place: forgotten (410), not understood (400), or ahead of the
   * server, as after a restore of its store ("Too large resource version" comes as a 504).
   */
  boolean placeUnknown() {
    return expired() || code == 400 || code == 504;
  }

  String text() {
    return code + (message.isEmpty() ? "" : ": " + message);
  }
}
