package io.gpumem.platform.cluster.fake;

/**
 * A request that the stand-in has answered, or begun to.
 *
 * @param path with its query, as it came
 * @param code of the answer, 0 when none was sent
 */
public record RecordedRequest(
    String method, String path, String userAgent, String body, int code) {}
