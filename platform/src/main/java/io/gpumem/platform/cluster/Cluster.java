package io.gpumem.platform.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The API server as both binaries see it: follow pods and nodes, bind a pod, patch a node's
 * annotations and labels, read one object, leave an event.
 *
 * <p>What it does not do: it never replaces (PUT) an object read earlier, because a client with an
 * older model would drop the fields it doesn't know; it never retries a write, because only the
 * caller knows whether the write is still wanted; it keeps no whole objects, only what the caller's
 * {@code trim} makes of them; it decides nothing about the pods it shows.
 *
 * <p>What the world can do is in the return types; nothing here throws for an absent object, a
 * refusal or a dead server. All methods may be called from any thread, and no argument or result is
 * null. Writes and reads block the caller at most for their deadline.
 *
 * <p>The real adapter is {@link KubeCluster}. The fake is a server, not another implementation:
 * {@link io.gpumem.platform.cluster.fake.StandInApiServer} answers over HTTP, so that every test
 * and the demo run the adapter that production runs.
 */
public interface Cluster extends AutoCloseable {

  /**
   * Follows the selected pods: one {@link FeedEvent.Listed} first, then changes in the order of the
   * watch, until the feed is closed.
   *
   * @param trim makes the caller's own immutable value, before anything is kept; empty means "not
   *     ours", and an object that was ours before then counts as gone. Its {@code equals} decides
   *     whether a change is worth an event. It runs on the feed's thread and must not block.
   */
  <T> Feed watchPods(
      PodSelection selection, Function<Pod, Optional<T>> trim, FeedListener<T> listener);

  /** Follows the selected nodes, like {@link #watchPods}. */
  <T> Feed watchNodes(
      NodeSelection selection, Function<Node, Optional<T>> trim, FeedListener<T> listener);

  /** The pod as it is now, by a consistent read (never from the server's watch cache). */
  <T> Reading<T> readPod(
      String namespace, String name, Function<Pod, Optional<T>> trim, Duration deadline);

  /** The node as it is now, by a consistent read. */
  <T> Reading<T> readNode(String name, Function<Node, Optional<T>> trim);

  /**
   * Binds the pod to the node. The annotations land on the pod in the same write as its node name
   * (k8s-contract D.5), over any it has under these keys.
   *
   * @param deadline for the whole call, the read back after a conflict included
   */
  BindOutcome bind(PodRef pod, String node, Map<String, String> annotations, Duration deadline);

  /**
   * Sets (a value) or removes (empty) these annotations and labels and leaves all others alone. It
   * is a JSON merge patch, so repeating it is harmless.
   */
  PatchOutcome patchNode(
      String node, Map<String, Optional<String>> annotations, Map<String, Optional<String>> labels);

  /**
   * Leaves an event for people to see, some time later and at best: the call never blocks or
   * throws, and events beyond a bounded rate, or repeated within minutes, are dropped and counted.
   */
  void event(EventNote note);

  /** What became of the notes so far. */
  EventCounts eventCounts();

  /** Closes every feed and the connection. Events still waiting are dropped. */
  @Override
  void close();
}
