package io.gpumem.core.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {

  @Test
  void readsNamespaceAndName() {
    PodName name = new PodName("team-a", "train-0");
    assertEquals(Optional.of(name), PodName.parse("team-a/train-0"));
    assertEquals("team-a/train-0", name.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "a", "a/", "/a", "a/b/c", "a//b"})
  void readsNoOtherPodName(String text) {
    assertEquals(Optional.empty(), PodName.parse(text));
  }

  @Test
  void refusesEmptyNames() {
    assertThrows(IllegalArgumentException.class, () -> new PodName("", "a"));
    assertThrows(IllegalArgumentException.class, () -> new PodName("a", ""));
    assertThrows(IllegalArgumentException.class, () -> new PodUid(""));
    assertThrows(IllegalArgumentException.class, () -> new NodeName(""));
  }

  @Test
  void sortsPodsByNamespaceFirst() {
    List<String> sorted =
        Stream.of(new PodName("b", "a"), new PodName("a", "z"), new PodName("a", "b"))
            .sorted()
            .map(PodName::toString)
            .toList();
    assertEquals(List.of("a/b", "a/z", "b/a"), sorted);
  }
}
