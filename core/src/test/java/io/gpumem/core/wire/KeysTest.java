package io.gpumem.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeysTest {

  /** What Kubernetes takes for the name part of a key (IsQualifiedName). */
  private static final Pattern KEY_NAME =
      Pattern.compile("(?=.{1,63}$)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");

  private static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);

  private static List<String> allOf(Keys keys, String model) {
    return List.of(
        keys.devices(),
        keys.allocations(),
        keys.summary(),
        keys.cordon(),
        keys.reservation(),
        keys.policy(),
        keys.deviceCount(),
        keys.model(),
        keys.unitLabel(),
        keys.largestDeviceLabel(),
        keys.modelLabel(model));
  }

  @Test
  void keysAreDistinct() {
    Set<String> distinct = new TreeSet<>(allOf(KEYS, "NVIDIA H200"));
    assertEquals(allOf(KEYS, "NVIDIA H200").size(), distinct.size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "example.com/gpu-mem",
        "e.c/g",
        "gpu.example.org/Shared_GPU.memory",
        "example.com/a-name-of-26-characters-ab"
      })
  void everyKeyOfALegalResourceIsLegal(String resource) {
    for (String model : List.of("", "NVIDIA H200", "x".repeat(200), "- -", "é".repeat(70))) {
      for (String key : allOf(new Keys(resource), model)) {
        assertTrue(key.startsWith(resource + "."), key);
        String name = key.substring(key.indexOf('/') + 1);
        assertTrue(KEY_NAME.matcher(name).matches(), key);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "gpu-mem",
        "/gpu-mem",
        "example.com/",
        "example.com/a/b",
        "kubernetes.io/gpu-mem",
        "gpu.kubernetes.io/gpu-mem",
        "mykubernetes.io/gpu-mem",
        "requests.example.com/gpu-mem",
        "Example.com/gpu-mem",
        "example..com/gpu-mem",
        "-example.com/gpu-mem",
        "example.com/-gpu",
        "example.com/gpu-",
        "example.com/gpu mem",
        "example.com/a-name-of-27-characters-abc"
      })
  void refusesWhatNoExtendedResourceIsCalled(String resource) {
    assertTrue(Keys.problem(resource).isPresent());
    assertThrows(IllegalArgumentException.class, () -> new Keys(resource));
  }

  @Test
  void refusesDomainsThatLeaveNoRoomForTheQuotasPrefix() {
    String label = "a".repeat(60) + ".";
    String longest = label.repeat(4);
    assertEquals(244, longest.length());
    assertEquals(Optional.empty(), Keys.problem(longest.substring(0, 243) + "b/gpu-mem"));
    assertTrue(Keys.problem(longest + "b/gpu-mem").isPresent());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NVIDIA H200 | nvidia-h200",
        "NVIDIA H100 80GB HBM3 MIG 1g.10gb | nvidia-h100-80gb-hbm3-mig-1g-10gb",
        "NVIDIA H100 80GB HBM3 MIG 1g.10gb+me | nvidia-h100-80gb-hbm3-mig-1g-10gb-me",
        "Tesla T4 | tesla-t4",
        "'' | unknown",
        "'--' | unknown",
        "'  (R) GPU!! ' | r-gpu"
      })
  void namesModelsInLabels(String model, String slug) {
    assertEquals("example.com/gpu-mem.model-" + slug, KEYS.modelLabel(model));
  }

  @Test
  void tellsLongModelsApart() {
    List<String> models =
        List.of(
            "NVIDIA RTX PRO 6000 Blackwell Server Edition",
            "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
            "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition");
    assertEquals(3, models.stream().map(KEYS::modelLabel).distinct().count());
  }

  @Test
  void aCutLeavesNoHyphenAtTheEnd() {
    Stream.iterate("a", text -> text.length() < 70, text -> text + " a")
        .map(KEYS::modelLabel)
        .forEach(key -> assertTrue(key.endsWith("a"), key));
  }
}
