package io.gpumem.bench.load;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One answered request.
 *
 * @param firstByte from the moment at which the kernel had the request's last byte to the answer's
 *     first
 * @param whole from the request's first byte to the answer's last
 */
@SuppressWarnings("ArrayRecordComponent") // Compared nowhere.
public record Exchange(int status, byte[] body, Duration firstByte, Duration whole) {

  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }
}
