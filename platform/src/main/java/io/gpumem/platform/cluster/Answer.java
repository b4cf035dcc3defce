package io.gpumem.platform.cluster;

import java.time.Duration;

/** How a request to the API server ended. */
sealed interface Answer {

  /**
   * The server answered, whatever it said.
   *
   * @param retryAfter the server's wish, zero without one
   */
  record Answered(int code, String body, Duration retryAfter) implements Answer {

    boolean success() {
      return code >= 200 && code < 300;
    }

    ApiStatus status() {
      return ApiStatus.read(code, body);
    }
  }

  /** There was no connection: the request was not sent. */
  record Unreached(String why) implements Answer {}

  /** No whole answer: the server may have done what was asked. */
  record Lost(String why) implements Answer {}
}
