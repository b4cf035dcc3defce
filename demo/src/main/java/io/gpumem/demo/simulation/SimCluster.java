package io.gpumem.demo.simulation;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.gpumem.platform.cluster.BindOutcome;
import io.gpumem.platform.cluster.Cluster;
import io.gpumem.platform.cluster.EventCounts;
import io.gpumem.platform.cluster.EventNote;
import io.gpumem.platform.cluster.Feed;
import io.gpumem.platform.cluster.FeedListener;
import io.gpumem.platform.cluster.NodeSelection;
import io.gpumem.platform.cluster.PatchOutcome;
import io.gpumem.platform.cluster.PodRef;
import io.gpumem.platform.cluster.PodSelection;
import io.gpumem.platform.cluster.Reading;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.Refusal;
import io.gpumem.platform.cluster.fake.ResourceKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The API server as one process sees it: watches with delays, and writes that take time, are lost
 * on the way there or back, or come to pass later. Dies with its process.
 */
final class SimCluster implements Cluster {

  private static final EventCounts NO_EVENTS = new EventCounts(0, 0, 0, 0);
  private static final Duration LATE = Duration.ofSeconds(4);

  private final SimApi api;
  private final SimProcess process;
  private final Dice dice;
  private final List<SimFeed<?, ?>> feeds = new ArrayList<>();
  private boolean lossy;

  SimCluster(SimApi api, SimProcess process, Dice dice) {
    this.api = api;
    this.process = process;
    this.dice = dice;
  }

  /** From now on one write in three is lost on its way. */
  void lossy(boolean now) {
    lossy = now;
  }

  List<SimFeed<?, ?>> feeds() {
    return List.copyOf(feeds);
  }

  @Override
  public <T> Feed watchPods(
      PodSelection selection, Function<Pod, Optional<T>> trim, FeedListener<T> listener) {
    Predicate<JsonNode> wanted =
        switch (selection) {
          case PodSelection.OnNode(String node) ->
              pod -> pod.path("spec").path("nodeName").asString("").equals(node);
          case PodSelection.NotEnded() -> pod -> !hasEnded(pod);
        };
    return opened(
        new SimFeed.Source<>(ResourceKind.PODS, wanted, api::pod, trim), listener, "pods");
  }

  static boolean hasEnded(JsonNode pod) {
    String phase = pod.path("status").path("phase").asString("");
    return phase.equals("Succeeded") || phase.equals("Failed");
  }

  @Override
  public <T> Feed watchNodes(
      NodeSelection selection, Function<Node, Optional<T>> trim, FeedListener<T> listener) {
    Predicate<JsonNode> wanted =
        switch (selection) {
          case NodeSelection.Labelled(String key) ->
              node -> node.path("metadata").path("labels").has(key);
          case NodeSelection.Named(String name) ->
              node -> node.path("metadata").path("name").asString("").equals(name);
          case NodeSelection.All() -> node -> true;
        };
    return opened(
        new SimFeed.Source<>(ResourceKind.NODES, wanted, api::node, trim), listener, "nodes");
  }

  private <O, T> Feed opened(SimFeed.Source<O, T> source, FeedListener<T> listener, String what) {
    SimFeed<O, T> feed = new SimFeed<>(api, process, source, listener, dice.of(what));
    feeds.add(feed);
    return feed;
  }

  @Override
  public <T> Reading<T> readPod(
      String namespace, String name, Function<Pod, Optional<T>> trim, Duration deadline) {
    return read(ObjectKey.pod(namespace, name), pod -> trim.apply(api.pod(pod)));
  }

  @Override
  public <T> Reading<T> readNode(String name, Function<Node, Optional<T>> trim) {
    return read(ObjectKey.node(name), node -> trim.apply(api.node(node)));
  }

  private <T> Reading<T> read(ObjectKey key, Function<JsonNode, Optional<T>> trim) {
    process.sleep(dice.millis(1, 10));
    if (api.isAway()) {
      return new Reading.Unread<>("away");
    }
    return api.find(key)
        .flatMap(trim::apply)
        .<Reading<T>>map(Reading.Found::new)
        .orElseGet(Reading.Absent::new);
  }

  @Override
  public BindOutcome bind(
      PodRef pod, String node, Map<String, String> annotations, Duration deadline) {
    process.sleep(dice.millis(1, 10));
    if (api.isAway()) {
      return new BindOutcome.Unreached("away");
    }
    process.writing(SimProcess.Moment.BEFORE_WRITE);
    ObjectKey key = ObjectKey.pod(pod.namespace(), pod.name());
    boolean lost = lossy && dice.oneIn(3);
    if (lost && dice.oneIn(3)) {
      // Sent and not answered: it is committed later, though nobody waits for it any more.
      Map<String, String> sent = new HashMap<>(annotations);
      api.later(dice.millis(0, (int) LATE.toMillis()), () -> bindQuietly(key, pod, node, sent));
      return new BindOutcome.Unknown("no answer");
    }
    if (lost && dice.oneIn(2)) {
      return new BindOutcome.Unknown("lost on its way");
    }
    BindOutcome outcome = bound(key, pod, node, annotations);
    process.writing(SimProcess.Moment.AFTER_WRITE);
    process.sleep(dice.millis(1, 10));
    return lost ? new BindOutcome.Unknown("answer lost") : outcome;
  }

  private void bindQuietly(
      ObjectKey key, PodRef pod, String node, Map<String, String> annotations) {
    BindOutcome unused = bound(key, pod, node, annotations);
  }

  /** The outcomes as the real adapter reads them from the server's answers. */
  private BindOutcome bound(
      ObjectKey key, PodRef pod, String node, Map<String, String> annotations) {
    try {
      api.bind(key, pod.uid(), node, annotations);
      return new BindOutcome.Bound();
    } catch (Refusal refused) {
      Optional<ObjectNode> now = api.find(key);
      if (now.isEmpty() || !now.get().path("metadata").path("uid").asString("").equals(pod.uid())) {
        return new BindOutcome.Gone(String.valueOf(refused.getMessage()));
      }
      String where = now.get().path("spec").path("nodeName").asString("");
      return where.isEmpty()
          ? new BindOutcome.Refused(409, String.valueOf(refused.getMessage()))
          : new BindOutcome.AlreadyBound(where, annotations(now.get()));
    }
  }

  static Map<String, String> annotations(JsonNode object) {
    Map<String, String> annotations = new HashMap<>();
    object
        .path("metadata")
        .path("annotations")
        .forEachEntry((key, value) -> annotations.put(key, value.asString("")));
    return annotations;
  }

  @Override
  public PatchOutcome patchNode(
      String node,
      Map<String, Optional<String>> annotations,
      Map<String, Optional<String>> labels) {
    process.sleep(dice.millis(1, 10));
    if (api.isAway()) {
      return new PatchOutcome.Unreached("away");
    }
    process.writing(SimProcess.Moment.BEFORE_WRITE);
    boolean lost = lossy && dice.oneIn(3);
    if (lost && dice.oneIn(2)) {
      return new PatchOutcome.Unknown("lost on its way");
    }
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = patch.putObject("metadata");
    put(metadata.putObject("annotations"), annotations);
    put(metadata.putObject("labels"), labels);
    boolean there = api.patch(ObjectKey.node(node), patch);
    process.writing(SimProcess.Moment.AFTER_WRITE);
    process.sleep(dice.millis(1, 10));
    if (lost) {
      return new PatchOutcome.Unknown("answer lost");
    }
    return there ? new PatchOutcome.Patched() : new PatchOutcome.Gone("no such node");
  }

  private static void put(ObjectNode object, Map<String, Optional<String>> keys) {
    keys.forEach(
        (key, value) ->
            value.ifPresentOrElse(text -> object.put(key, text), () -> object.putNull(key)));
  }

  @Override
  public void event(EventNote note) {
    // Events are for people; nothing in the world depends on them.
  }

  @Override
  public EventCounts eventCounts() {
    return NO_EVENTS;
  }

  @Override
  public void close() {
    feeds.forEach(SimFeed::close);
  }
}
