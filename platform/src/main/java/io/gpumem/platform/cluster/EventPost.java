package io.gpumem.platform.cluster;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts events from a thread of its own, so that nobody waits for them. Events are written to etcd
 * and kept for an hour, and a loop of ours that goes wrong must not fill it: hence the rate.
 */
final class EventPost implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EventPost.class);

  /** More than one burst can't be sent anyway. */
  private static final int WAITING = 100;

  /** A GPU that fails tells each of its pods at once; beyond that one a second is plenty. */
  private static final int BURST = 50;

  private static final Duration REFILL = Duration.ofSeconds(1);

  /** People look at the last minutes; the same line again within them says nothing. */
  private static final Duration REPEAT = Duration.ofMinutes(5);

  private static final int REMEMBERED = 512;

  /** The API's own limits on a message and, less five characters for the suffix, on a name. */
  private static final int LONGEST_MESSAGE = 1024;

  private static final int LONGEST_NAME_STEM = 240;
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  private final ApiCalls calls;
  private final KubernetesSerialization serialization;
  private final String component;
  private final Ticks ticks;
  private final BlockingQueue<EventNote> waiting = new ArrayBlockingQueue<>(WAITING);
  private final Map<EventNote, Long> recent = new LinkedHashMap<>();
  private final LongAdder sent = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final Thread thread;
  private double tokens = BURST;
  private long refilledAt;

  EventPost(ApiCalls calls, KubernetesSerialization serialization, String component, Ticks ticks) {
    this.calls = calls;
    this.serialization = serialization;
    this.component = component;
    this.ticks = ticks;
    this.refilledAt = ticks.now();
    this.thread = Thread.ofPlatform().daemon().name("events").start(this::run);
  }

  void offer(EventNote note) {
    if (!admitted(note) || !waiting.offer(note)) {
      LOG.atDebug().addKeyValue("reason", note.reason()).log("event not sent");
    }
  }

  private synchronized boolean admitted(EventNote note) {
    long now = ticks.now();
    Long before = recent.get(note);
    if (before != null && now - before < REPEAT.toNanos()) {
      repeated.increment();
      return false;
    }
    tokens = Math.min(BURST, tokens + (now - refilledAt) / (double) REFILL.toNanos());
    refilledAt = now;
    if (tokens < 1 || waiting.remainingCapacity() == 0) {
      dropped.increment();
      return false;
    }
    tokens--;
    recent.remove(note);
    recent.put(note, now);
    if (recent.size() > REMEMBERED) {
      recent.remove(recent.keySet().iterator().next());
    }
    return true;
  }

  private void run() {
    try {
      while (true) {
        post(waiting.take());
      }
    } catch (InterruptedException closed) {
      LOG.atDebug().addKeyValue("waiting", waiting.size()).log("event post closed");
    }
  }

  private void post(EventNote note) {
    try {
      Event event = event(note);
      String path =
          "/api/v1/namespaces/"
              + ApiRequest.encoded(event.getMetadata().getNamespace())
              + "/events";
      Answer answer = calls.call(ApiRequest.post(path, serialization.asJson(event)), DEADLINE);
      if (answer instanceof Answer.Answered answered && answered.success()) {
        sent.increment();
        return;
      }
      failed.increment();
      LOG.atDebug().addKeyValue("reason", note.reason()).log("event was not taken");
    } catch (RuntimeException fault) {
      failed.increment();
      LOG.atWarn().addKeyValue("reason", note.reason()).setCause(fault).log("event failed");
    }
  }

  private Event event(EventNote note) {
    ObjectReference about = reference(note.subject());
    String name = about.getName();
    String stem = name.substring(0, Math.min(LONGEST_NAME_STEM, name.length()));
    String message = note.message();
    String now = ticks.clock().instant().truncatedTo(ChronoUnit.SECONDS).toString();
    String namespace = about.getNamespace() == null ? "default" : about.getNamespace();
    return new EventBuilder()
        .withNewMetadata()
        .withGenerateName(stem + ".")
        .withNamespace(namespace)
        .endMetadata()
        .withInvolvedObject(about)
        .withType(note.severity().type())
        .withReason(note.reason())
        .withMessage(message.substring(0, Math.min(LONGEST_MESSAGE, message.length())))
        .withNewSource()
        .withComponent(component)
        .endSource()
        .withReportingComponent(component)
        .withFirstTimestamp(now)
        .withLastTimestamp(now)
        .withCount(1)
        .build();
  }

  private static ObjectReference reference(EventNote.Subject subject) {
    ObjectReferenceBuilder about = new ObjectReferenceBuilder().withApiVersion("v1");
    return switch (subject) {
      case EventNote.OnPod(PodRef pod) ->
          about
              .withKind("Pod")
              .withNamespace(pod.namespace())
              .withName(pod.name())
              .withUid(pod.uid())
              .build();
      case EventNote.OnNode(String node) ->
          about.withKind("Node").withName(node).withUid(node).build();
    };
  }

  EventCounts counts() {
    return new EventCounts(sent.sum(), repeated.sum(), dropped.sum(), failed.sum());
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
