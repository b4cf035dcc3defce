package io.gpumem.core.wire;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.Wish;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The three pod annotations that a user may set: policy, device-count and model. */
public final class WishCodec {

  /** No node has more devices than this (16 GPUs in 7 MIG devices each). */
  static final int MOST_DEVICES = 128;

  private WishCodec() {}

  /** Reads a user's wish; a value that can't be understood is told, never guessed at. */
  public static Decoded<Wish> decode(Keys keys, Map<String, String> annotations) {
    Optional<String> policyText = text(annotations, keys.policy());
    Optional<Policy> policy = policyText.flatMap(Policy::parse);
    if (policyText.isPresent() && policy.isEmpty()) {
      return Decoded.malformed(keys.policy() + ": expected binpack or spread");
    }
    Optional<String> countText = text(annotations, keys.deviceCount());
    int count = countText.map(WishCodec::count).orElse(1);
    if (count < 1) {
      return Decoded.malformed(
          keys.deviceCount() + ": expected a number from 1 to " + MOST_DEVICES);
    }
    Optional<String> modelText = text(annotations, keys.model());
    Set<String> models = modelText.map(WishCodec::models).orElse(Set.of());
    if (modelText.isPresent() && models.isEmpty()) {
      return Decoded.malformed(keys.model() + ": expected names of models, separated by commas");
    }
    boolean none = policy.isEmpty() && countText.isEmpty() && modelText.isEmpty();
    return none ? Decoded.absent() : Decoded.ok(new Wish(policy, new DeviceChoice(count, models)));
  }

  private static Optional<String> text(Map<String, String> annotations, String key) {
    return Optional.ofNullable(annotations.get(key)).map(String::strip);
  }

  private static int count(String text) {
    boolean digits =
        !text.isEmpty() && text.length() <= 3 && text.chars().allMatch(c -> c >= '0' && c <= '9');
    int count = digits ? Integer.parseInt(text) : 0;
    return count <= MOST_DEVICES ? count : 0;
  }

  private static Set<String> models(String text) {
    Set<String> models = new LinkedHashSet<>();
    for (String model : text.split(",", -1)) {
      if (!model.isBlank()) {
        models.add(model.strip());
      }
    }
    return models;
  }
}
