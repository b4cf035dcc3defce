package io.gpumem.plugin.kubelet.fake;

import static io.gpumem.plugin.kubelet.fake.Rig.RESOURCE;
import static io.gpumem.plugin.kubelet.fake.Rig.podOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.proto.deviceplugin.v1beta1.Device;
import io.gpumem.proto.podresources.v1.ListPodResourcesRequest;
import io.gpumem.proto.podresources.v1.ListPodResourcesResponse;
import io.gpumem.proto.podresources.v1.PodResourcesListerGrpc;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The end: what a strict kubelet complains of, and that nothing is left behind. */
class StandInKubeletStrictnessTest {
  @TempDir Path root;

  @Test
  void throwsAtTheEndOnABreachOfContract() throws Exception {
    Rig rig = Rig.strict(root);
    rig.plugin(4).preferred = _ -> List.of();
    rig.running(podOf("a", 2));

    IllegalStateException thrown = assertThrows(IllegalStateException.class, rig::close);

    assertEquals(
        "expected a clean end but saw GetPreferredAllocation: expected 2 distinct devices but was"
            + " 0, 0 distinct",
        thrown.getMessage());
  }

  static List<List<Device>> badLists() {
    Device good = Rig.device(0, "Healthy");
    return List.of(
        List.of(good, good),
        List.of(good, good.toBuilder().setID("").build()),
        List.of(good, good.toBuilder().setID("x".repeat(64)).build()),
        List.of(good, Rig.device(1, "Broken")),
        List.of(good, Rig.device(1, "Healthy", -1)));
  }

  @ParameterizedTest
  @MethodSource("badLists")
  void notesABadList(List<Device> list) throws Exception {
    try (Rig rig = Rig.lenient(root)) {
      TinyPlugin plugin = rig.plugin(3);
      assertEquals(List.of(), rig.kubelet.violations());

      plugin.publish(list);

      Rig.eventually("the list is complained of", () -> !rig.kubelet.violations().isEmpty());
    }
  }

  @Test
  void notesAnAllocatedDeviceThatVanishes() throws Exception {
    try (Rig rig = Rig.lenient(root)) {
      TinyPlugin plugin = rig.plugin(3);
      rig.running(podOf("a", 1));

      plugin.publish(List.of(Rig.device(1, "Healthy")));

      Rig.eventually(
          "the missing one is named",
          () ->
              rig.kubelet
                  .violations()
                  .equals(List.of("list of " + RESOURCE + ": allocated devices vanished: [d00]")));
    }
  }

  @Test
  void survivesAListenerThatThrows() throws Exception {
    AtomicInteger seen = new AtomicInteger();
    KubeletListener listener =
        _ -> {
          seen.incrementAndGet();
          throw new IllegalStateException("a listener's own bug");
        };
    try (StandInKubelet kubelet = StandInKubelet.start(KubeletSettings.at(root), listener)) {
      kubelet.add(podOf("a", 1));
      kubelet.add(podOf("b", 1));
      kubelet.awaitIdle(Rig.LIMIT);

      assertEquals(2, seen.get());
      assertEquals(2, kubelet.listenerFailures());
    }
  }

  @Test
  void leavesNoThreadBehind() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(3);
      rig.running(podOf("a", 1));
      assertTrue(threads() > 0);
      rig.kubelet.restart(Restart.plain());
      rig.kubelet.awaitIdle(Rig.LIMIT);
    }
    Rig.eventually("no thread of the kubelet runs", () -> threads() == 0);
  }

  @Test
  void endsThoughAnAllocateHangs() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(3);
      AllocateHold hold = rig.kubelet.faults().holdAllocate(AllocateHold.Point.AFTER_ANSWER);
      rig.kubelet.add(podOf("a", 1));
      assertTrue(hold.awaitHeld(Rig.LIMIT));
    }
  }

  @Test
  void namesAThreadThatDoesNotEnd() throws Exception {
    Findings findings = new Findings();
    UnixTransport transport = new UnixTransport(findings, Duration.ofMillis(20));
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    Path socket = root.resolve("hung.sock");
    var server =
        transport.serve(
            socket,
            new PodResourcesListerGrpc.PodResourcesListerImplBase() {
              @Override
              public void list(
                  ListPodResourcesRequest request,
                  StreamObserver<ListPodResourcesResponse> observer) {
                entered.countDown();
                boolean interrupted = true;
                while (interrupted) {
                  try {
                    released.await();
                    interrupted = false;
                  } catch (InterruptedException _) {
                    // Hangs on: that is what this test is about.
                  }
                }
              }
            });
    var channel = transport.channel(socket);
    var _ =
        PodResourcesListerGrpc.newFutureStub(channel)
            .list(ListPodResourcesRequest.getDefaultInstance());
    assertTrue(entered.await(Rig.LIMIT.toSeconds(), TimeUnit.SECONDS));

    transport.stop(channel, "the channel");
    transport.stop(server, "the server");
    transport.close();
    released.countDown();

    assertTrue(
        findings.troubles().contains("a thread of a call did not end within 20 ms"),
        () -> findings.troubles().toString());
  }

  @Test
  void refusesADirectoryTooDeepForASocket() {
    Path deep = root.resolve("x".repeat(100));

    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> KubeletSettings.at(deep));

    assertTrue(
        String.valueOf(thrown.getMessage())
            .startsWith("expected a socket path of at most 107 bytes"));
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("stand-in-kubelet"))
        .count();
  }
}
