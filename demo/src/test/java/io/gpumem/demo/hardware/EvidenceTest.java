package io.gpumem.demo.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The parts that judge: what a probe's output means, what a private /dev is made of. */
class EvidenceTest {

  private static final String ONE =
      """
      count 1
      device 0 GPU-1256a77c-eee8-f71b-e9e0-5e5b7d83db05 143155 MiB
      allocate 64 MiB: 0
      """;

  @Test
  void readsWhatTheProbeSaw() {
    Seen seen = Seen.of(ONE);

    assertTrue(seen.isOnly("GPU-1256a77c-eee8-f71b-e9e0-5e5b7d83db05"));
    assertFalse(seen.isOnly("GPU-48156cd1-fc4a-c005-a9f8-5294d2a8dcf1"));
  }

  @Test
  void isNotContentWithADeviceThatGivesNoMemory() {
    String failing = ONE.replace("allocate 64 MiB: 0", "allocate 64 MiB: 2");

    assertFalse(Seen.of(failing).isOnly("GPU-1256a77c-eee8-f71b-e9e0-5e5b7d83db05"));
    assertEquals(List.of(), Seen.of("init: 100\ncount 0\n").uuids());
  }

  @Test
  void putsNothingIntoThePrivateDevButWhatWasAnsweredAndWhatIsCommon() {
    PrivateDev dev = new PrivateDev(Path.of("/probe"), Path.of("/tmp/d"));

    List<String> bound =
        dev.script(List.of("/dev/nvidia0", "/dev/nvidia-caps/nvidia-cap2"))
            .lines()
            .filter(line -> line.startsWith("mount --bind"))
            .map(line -> line.split(" ", -1)[2])
            .toList();

    assertEquals(
        List.of(
            "/dev/null",
            "/dev/zero",
            "/dev/urandom",
            "/dev/nvidia-caps/nvidia-cap2",
            "/dev/nvidia0"),
        bound);
  }

  @Test
  void oneFailedClaimFailsAll() {
    Checks checks =
        new Checks(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
    assertFalse(checks.summary(), "no claim proves nothing");
    checks.check("held", true);
    assertTrue(checks.summary());
    checks.check("failed", false);
    assertFalse(checks.summary());
  }
}
