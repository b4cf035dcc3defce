package io.gpumem.plugin.publish;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.wire.Keys;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class NodeKeysTest {

  private static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);

  @Test
  void leavesTheCordonAndOtherPeoplesKeysAlone() {
    NodeKeys found =
        NodeKeys.found(
            KEYS,
            Map.of(KEYS.cordon(), "0", KEYS.summary(), "GPU0", "example.com/other", "x"),
            Map.of("kubernetes.io/hostname", "n1", KEYS.modelLabel("Old Card"), "true"));

    assertEquals(Map.of(KEYS.summary(), "GPU0"), found.annotations());
    assertEquals(Map.of(KEYS.modelLabel("Old Card"), "true"), found.labels());
  }

  @Test
  void changesOnlyWhatDiffers() {
    NodeKeys from =
        new NodeKeys(Map.of("same", "1", "other", "1", "gone", "1"), Map.of("label", "1"));
    NodeKeys to = new NodeKeys(Map.of("same", "1", "other", "2", "new", "1"), Map.of("label", "1"));

    assertEquals(
        Map.of("other", Optional.of("2"), "new", Optional.of("1"), "gone", Optional.empty()),
        to.annotationChanges(from));
    assertEquals(Map.of(), to.labelChanges(from));
  }

  @Test
  void takesAwayTheLabelOfAModelThatIsGone() {
    NodeKeys from = new NodeKeys(Map.of(), Map.of(KEYS.modelLabel("Old"), "true"));
    NodeKeys to = new NodeKeys(Map.of(), Map.of(KEYS.modelLabel("New"), "true"));

    assertEquals(
        Map.of(
            KEYS.modelLabel("Old"), Optional.empty(), KEYS.modelLabel("New"), Optional.of("true")),
        to.labelChanges(from));
  }
}
