package io.gpumem.demo.scenario;

import io.gpumem.demo.process.Child;
import io.gpumem.demo.process.Children;
import io.gpumem.demo.world.PlayedCluster;
import io.gpumem.demo.world.PodState;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Where the story plays: the cluster, our processes, and the waiting for what must happen.
 *
 * @param patience for one thing to happen; generous, since it only bounds a failure
 * @param ended whether somebody pressed Ctrl-C
 */
public record Stage(
    PlayedCluster cluster,
    Children children,
    Owner owner,
    Console console,
    Duration patience,
    BooleanSupplier ended) {

  private static final long LOOK_EVERY_NANOS = Duration.ofMillis(20).toNanos();

  /** Something that is looked at again and again. */
  public interface Look {
    /** Whether it is so by now. */
    boolean isThere() throws InterruptedException;
  }

  /** Waits until every pod that is bound to the node runs there. */
  void awaitCalm(String node) throws Missed, InterruptedException {
    await(
        "all pods of " + node + " run",
        () ->
            cluster.pods().stream()
                .filter(pod -> pod.node().equals(node))
                .allMatch(PodState::isRunning));
  }

  /** Waits for a state; meanwhile refused pods are made anew and our processes are watched. */
  public void await(String what, Look look) throws Missed, InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!look.isThere()) {
      if (ended.getAsBoolean() || Thread.interrupted()) {
        throw new InterruptedException();
      }
      Optional<Child> lost = children.lost();
      if (lost.isPresent()) {
        throw new Missed(
            lost.get().name() + " ended by itself; its last words are in " + lost.get().log());
      }
      if (System.nanoTime() - deadline > 0) {
        throw new Missed("waited %d s for this: %s".formatted(patience.toSeconds(), what));
      }
      owner.tend();
      LockSupport.parkNanos(LOOK_EVERY_NANOS);
    }
  }

  /** Waits until the pod runs, and is where it may be. */
  public PodState awaitRunning(String pod) throws Missed, InterruptedException {
    await(pod + " runs", () -> cluster.pod(pod).map(PodState::isRunning).orElse(false));
    return cluster.pod(pod).orElseThrow(() -> new Missed(pod + " vanished"));
  }
}
