package io.gpumem.plugin.allocate;

import static io.gpumem.plugin.allocate.Known.A;
import static io.gpumem.plugin.allocate.Known.B;
import static io.gpumem.plugin.allocate.Known.ids;
import static io.gpumem.plugin.allocate.Known.loner;
import static io.gpumem.plugin.allocate.Known.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The kubelet's preferred call comes before the watch shows what the pod was promised. */
final class LateReservationTest {

  private static final Duration FOR_EVER = Duration.ofHours(1);
  private static final int LIMIT_SECONDS = 20;

  private final BlockingQueue<Allocator.Event> events = new LinkedBlockingQueue<>();

  private Allocator allocator(Duration wait, BooleanSupplier watchAlive) {
    Allocator made =
        new Allocator(
            Known.NODE,
            Allocator.Matching.ON,
            wait,
            watchAlive,
            (pod, limit) -> new HolderCheck.Held.Gone(),
            System::nanoTime,
            events::add);
    made.inventory(Known.inventory(8, 8));
    return made;
  }

  private CompletableFuture<List<String>> call(Allocator allocator, int size) {
    List<String> all = new ArrayList<>(ids(A, 0, 8));
    all.addAll(ids(B, 0, 8));
    CompletableFuture<List<String>> answer = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> answer.complete(allocator.prefer(new PreferredCall(all, Set.of(), size))));
    return answer;
  }

  private static List<String> get(CompletableFuture<List<String>> answer) throws Exception {
    return answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  private Allocator.Event.Preferred event() throws InterruptedException {
    return assertInstanceOf(
        Allocator.Event.Preferred.class, events.poll(LIMIT_SECONDS, TimeUnit.SECONDS));
  }

  @Test
  void waitsForItAndFollowsIt() throws Exception {
    CountDownLatch waits = new CountDownLatch(1);
    Allocator allocator =
        allocator(
            FOR_EVER,
            () -> {
              waits.countDown();
              return true;
            });
    CompletableFuture<List<String>> answer = call(allocator, 4);
    assertTrue(waits.await(LIMIT_SECONDS, TimeUnit.SECONDS));
    allocator.podSeen(loner("other", 3));
    allocator.podSeen(pod("late", 4, B));

    assertEquals(ids(B, 0, 4), get(answer));
    assertEquals("RESERVED", event().basis());
  }

  @Test
  void goesOnWithoutItAfterTheWaitAndSaysHowLongItWas() throws Exception {
    Duration wait = Duration.ofMillis(200);

    assertEquals(4, get(call(allocator(wait, () -> true), 4)).size());

    Allocator.Event.Preferred preferred = event();
    assertEquals("PLACED", preferred.basis());
    assertTrue(preferred.waited().compareTo(wait) >= 0, () -> "waited " + preferred.waited());
  }

  @Test
  void doesNotWaitForAWatchThatIsBroken() throws Exception {
    assertEquals(4, get(call(allocator(FOR_EVER, () -> false), 4)).size());
  }

  @Test
  void doesNotWaitWhenOneOfThatSizeIsKnown() throws Exception {
    Allocator allocator = allocator(FOR_EVER, () -> true);
    allocator.podSeen(pod("early", 4, A));

    assertEquals(ids(A, 0, 4), get(call(allocator, 4)));
  }
}
