package io.gpumem.plugin.kubelet.fake;

import static io.gpumem.plugin.kubelet.fake.Rig.RESOURCE;
import static io.gpumem.plugin.kubelet.fake.Rig.podOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.proto.podresources.v1.GetPodResourcesRequest;
import io.gpumem.proto.podresources.v1.ListPodResourcesRequest;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When devices become free, and when the kubelet sells one twice. */
class StandInKubeletTableTest {
  @TempDir Path root;

  @Test
  void keepsATerminatingPodsDevicesUntilItsContainersAreDown() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("a", 3));
      rig.kubelet.terminate("uid-a");
      assertTrue(rig.failed(podOf("b", 2)).message().contains("Requested: 2, Available: 1"));

      rig.kubelet.stopped("uid-a");

      rig.running(podOf("c", 4));
    }
  }

  @Test
  void freesAFinishedPodsDevicesOnlyAtTheNextAllocation() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("a", 3));
      rig.kubelet.finish("uid-a");
      assertEquals(3, rig.held("uid-a", "main").size());

      rig.running(podOf("b", 4));

      assertFalse(rig.kubelet.table().containsKey("uid-a"));
    }
  }

  @Test
  void givesAForceDeletedPodsDevicesToTheNext() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(podOf("a", 4));

      rig.kubelet.forceDelete("uid-a");

      rig.running(podOf("b", 4));
    }
  }

  @Test
  void takesAPodOfTheSameNameWithAnotherUid() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      rig.running(Rig.pod("uid-1", "web-0", Instant.EPOCH, KubeletContainer.app("m", RESOURCE, 2)));
      rig.kubelet.forceDelete("uid-1");

      rig.running(Rig.pod("uid-2", "web-0", Instant.EPOCH, KubeletContainer.app("m", RESOURCE, 3)));

      assertEquals(Set.of("uid-2"), rig.kubelet.table().keySet());
    }
  }

  @Test
  void sellsADeviceTwiceWhenAListFallsIntoAnAllocate() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(6);
      rig.running(podOf("gone", 2));
      try (AllocateHold hold = rig.kubelet.faults().holdAllocate(AllocateHold.Point.AFTER_ANSWER)) {
        rig.kubelet.add(podOf("first", 2));
        assertTrue(hold.awaitHeld(Rig.LIMIT));
        rig.kubelet.finish("uid-gone");

        var _ = rig.podResources().list(ListPodResourcesRequest.getDefaultInstance());

        assertEquals(Set.of(), rig.kubelet.booked(RESOURCE));
      }
      rig.kubelet.awaitIdle(Rig.LIMIT);

      rig.running(podOf("second", 4));

      assertTrue(
          rig.held("uid-second", "main").containsAll(rig.held("uid-first", "main")),
          () -> "expected a double sale but was " + rig.kubelet.table());
    }
  }

  @Test
  void dropsNothingFromTheBooksWhenNoPodWentAway() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(6);
      try (AllocateHold hold = rig.kubelet.faults().holdAllocate(AllocateHold.Point.AFTER_ANSWER)) {
        rig.kubelet.add(podOf("first", 2));
        assertTrue(hold.awaitHeld(Rig.LIMIT));

        var _ = rig.podResources().list(ListPodResourcesRequest.getDefaultInstance());

        assertEquals(2, rig.kubelet.booked(RESOURCE).size());
      }
      rig.kubelet.awaitIdle(Rig.LIMIT);
    }
  }

  @Test
  void dropsNothingFromTheBooksOnAGet() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(6);
      rig.running(podOf("gone", 2));
      rig.running(podOf("other", 1));
      try (AllocateHold hold = rig.kubelet.faults().holdAllocate(AllocateHold.Point.AFTER_ANSWER)) {
        rig.kubelet.add(podOf("first", 2));
        assertTrue(hold.awaitHeld(Rig.LIMIT));
        rig.kubelet.finish("uid-gone");

        var _ =
            rig.podResources()
                .get(
                    GetPodResourcesRequest.newBuilder()
                        .setPodNamespace("team")
                        .setPodName("other")
                        .build());

        assertEquals(5, rig.kubelet.booked(RESOURCE).size());
      }
      rig.kubelet.awaitIdle(Rig.LIMIT);
    }
  }

  @Test
  void sellsADeviceTwiceWhenAPodWorkerAllocatesBesideAdmission() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      TinyPlugin plugin = rig.plugin(4);
      rig.running(podOf("old", 2));
      rig.kubelet.restart(Restart.plain().withCheckpoint(Restart.Checkpoint.MISSING));
      TinyPlugin fresh = rig.plugin(4);
      rig.kubelet.awaitIdle(Rig.LIMIT);
      CyclicBarrier both = new CyclicBarrier(2);
      var choose = plugin.preferred;
      fresh.preferred =
          request -> {
            try {
              int _ = both.await(Rig.LIMIT.toSeconds(), TimeUnit.SECONDS);
            } catch (Exception e) {
              throw TinyPlugin.refusal("alone: " + e);
            }
            return choose.to(request);
          };

      CompletableFuture<Optional<KubeletEvent>> worker =
          CompletableFuture.supplyAsync(() -> rig.kubelet.startContainers("uid-old"));
      rig.running(podOf("new", 2));
      assertTrue(worker.get(Rig.LIMIT.toSeconds(), TimeUnit.SECONDS).isPresent());

      assertEquals(Set.of("d00", "d01"), rig.held("uid-old", "main"));
      assertEquals(Set.of("d00", "d01"), rig.held("uid-new", "main"));
    }
  }

  @Test
  void tellsNothingOfAPodThatWasDeletedDuringItsAllocate() throws Exception {
    try (Rig rig = Rig.strict(root)) {
      rig.plugin(4);
      try (AllocateHold hold = rig.kubelet.faults().holdAllocate(AllocateHold.Point.AFTER_ANSWER)) {
        rig.kubelet.add(podOf("a", 2));
        assertTrue(hold.awaitHeld(Rig.LIMIT));
        rig.kubelet.forceDelete("uid-a");
      }
      rig.kubelet.awaitIdle(Rig.LIMIT);

      assertEquals(List.of(), rig.outcomes("uid-a"));
      rig.running(podOf("b", 4));
    }
  }
}
