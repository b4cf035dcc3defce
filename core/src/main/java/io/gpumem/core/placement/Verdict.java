package io.gpumem.core.placement;

import io.gpumem.core.units.DeviceUuid;
import java.util.Map;

/** The answer to "may this demand go onto this node". */
public sealed interface Verdict {

  /**
   * It may, on these devices.
   *
   * @param containers container to devices to units
   * @param leftover units that stay free on the fullest device it uses: small is a tight fit
   */
  record Fits(Map<String, Map<DeviceUuid, Long>> containers, long leftover) implements Verdict {}

  /** It may not. */
  record Refused(Refusal why) implements Verdict {}

  static Verdict refused(Refusal why) {
    return new Refused(why);
  }
}
