package io.gpumem.extender.verdict;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.ReservationCodec;
import io.gpumem.extender.RunningView;
import io.gpumem.platform.cluster.BindOutcome;
import io.gpumem.platform.cluster.PodRef;
import io.gpumem.platform.cluster.Reading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A view and a bind over an API server whose answers the test says. */
final class Scene implements AutoCloseable {

  static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);
  static final Duration BIND_TIMEOUT = Duration.ofSeconds(4);

  /** One Binding as it was sent. */
  record Sent(PodRef pod, String node, Map<String, String> annotations, Duration deadline) {

    Optional<Reservation> plan() {
      return ReservationCodec.decode(Optional.ofNullable(annotations.get(KEYS.reservation())))
          .understood();
    }
  }

  final RunningView running;
  final Filter filter = new Filter(Policy.BINPACK);
  final List<Sent> sent = new ArrayList<>();
  final List<Duration> readDeadlines = new ArrayList<>();
  final Map<String, Reading<PodFacts>> api = new HashMap<>();
  final Bind bind;
  final Doubts doubts;
  Bind.Binder answer = (pod, node, annotations, deadline) -> new BindOutcome.Bound();

  Scene(List<NodeFacts> nodes, PodFacts... pods) {
    running = RunningView.of(nodes, List.of(pods));
    PodLookup.PodSource source =
        (namespace, name, deadline) -> {
          readDeadlines.add(deadline);
          return api.getOrDefault(name, new Reading.Absent<>());
        };
    bind =
        new Bind(
            running.view,
            this::send,
            new PodLookup(source),
            filter,
            KEYS,
            running.time,
            BIND_TIMEOUT);
    doubts = new Doubts(running.view, source, running.time);
  }

  private BindOutcome send(
      PodRef pod, String node, Map<String, String> annotations, Duration deadline) {
    synchronized (sent) {
      sent.add(new Sent(pod, node, annotations, deadline));
    }
    return answer.bind(pod, node, annotations, deadline);
  }

  void answers(BindOutcome outcome) {
    answer = (pod, node, annotations, deadline) -> outcome;
  }

  BindResult bind(PodFacts pod, String node) {
    try {
      BindResult result = bind.bind(new BindRequest(pod.name(), pod.uid(), new NodeName(node)));
      running.settle();
      return result;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    running.close();
  }
}
