package io.gpumem.extender.http;

import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.PodReader;
import io.gpumem.extender.http.VerbMetrics.Outcome;
import io.gpumem.extender.http.VerbMetrics.Verb;
import io.gpumem.extender.verdict.Bind;
import io.gpumem.extender.verdict.BindRequest;
import io.gpumem.extender.verdict.BindResult;
import io.gpumem.extender.verdict.Filter;
import io.gpumem.extender.verdict.Filtered;
import io.gpumem.extender.verdict.Prioritize;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.extender.view.ClusterView;
import io.gpumem.platform.log.LogKeys;
import io.gpumem.platform.time.Time;
import io.gpumem.platform.web.Request;
import io.gpumem.platform.web.Response;
import io.gpumem.platform.web.Routes;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verbs that kube-scheduler calls (kube-scheduler extender/v1). The scheduler reads the body of
 * a 200 only, so that what it is to know travels in a 200; "no node fits" is never said for want of
 * knowledge: until the caches are synced the answer is 503, which it takes for an error and
 * retries.
 */
public final class SchedulerRoutes {

  private static final Logger log = LoggerFactory.getLogger(SchedulerRoutes.class);

  private static final Response NOT_READY =
      Response.error(503, "the caches are not synced yet").closing();

  private final ClusterView view;
  private final Filter filter;
  private final Prioritize prioritize;
  private final Bind bind;
  private final ArgsReader reader;
  private final PodReader pods;
  private final VerbMetrics metrics;
  private final Time time;

  public SchedulerRoutes(
      ClusterView view,
      Filter filter,
      Prioritize prioritize,
      Bind bind,
      Keys keys,
      VerbMetrics metrics,
      Time time) {
    this.view = view;
    this.filter = filter;
    this.prioritize = prioritize;
    this.bind = bind;
    this.reader = new ArgsReader(keys);
    this.pods = new PodReader(keys);
    this.metrics = metrics;
    this.time = time;
  }

  public Routes routes() {
    return Routes.none()
        .exact("POST", "/filter", request -> answer(Verb.FILTER, request, this::filter))
        .exact("POST", "/prioritize", request -> answer(Verb.PRIORITIZE, request, this::prioritize))
        .exact("POST", "/bind", request -> answer(Verb.BIND, request, this::bind));
  }

  /** An answer and how it is to be counted. */
  private record Reply(Response response, Outcome outcome) {

    static Reply ok(byte[] json) {
      return new Reply(Response.json(200, json), Outcome.OK);
    }

    static Reply error(byte[] json) {
      return new Reply(Response.json(200, json), Outcome.ERROR);
    }

    static Reply malformed(String why) {
      return new Reply(Response.error(400, "no JSON: " + why), Outcome.MALFORMED);
    }
  }

  private interface Verdict {
    Reply reply(byte[] body) throws InterruptedException;
  }

  private Response answer(Verb verb, Request request, Verdict verdict) throws InterruptedException {
    long began = time.monotonicNanos();
    Reply reply =
        view.isComplete() ? verdict.reply(request.body()) : new Reply(NOT_READY, Outcome.NOT_READY);
    Duration took = Duration.ofNanos(time.monotonicNanos() - began);
    metrics.answered(verb, reply.outcome(), took);
    return reply.response();
  }

  private Reply filter(byte[] body) {
    return switch (reader.extenderArgs(body)) {
      case ArgsReader.Body.Malformed<ExtenderArgs>(String why) -> Reply.malformed(why);
      case ArgsReader.Body.NoObject<ExtenderArgs>() -> filterError("expected a JSON object");
      case ArgsReader.Body.Read<ExtenderArgs>(ExtenderArgs args) -> {
        if (args.pod().isEmpty()) {
          yield filterError("expected a pod");
        }
        yield switch (args.pod().get().facts(pods)) {
          case Decoded.Malformed<PodFacts>(String why) -> filterError(why);
          case Decoded.Absent<PodFacts>() ->
              Reply.ok(Answers.filter(Filtered.allPass(args.names()), args.nodes(), body));
          case Decoded.Ok<PodFacts>(PodFacts pod) -> {
            Filtered filtered =
                filter.filter(view.snapshot(), pod, args.names(), time.monotonicNanos());
            metrics.refused(filtered.reasons());
            logFilter(pod, filtered);
            yield Reply.ok(Answers.filter(filtered, args.nodes(), body));
          }
        };
      }
    };
  }

  private static Reply filterError(String why) {
    log.atWarn().addKeyValue("why", why).log("filter request not understood");
    return Reply.error(Answers.filterError(why));
  }

  private static void logFilter(PodFacts pod, Filtered filtered) {
    log.atDebug()
        .addKeyValue(LogKeys.POD, pod.name())
        .addKeyValue("units", pod.demand().footprint())
        .addKeyValue("passed", filtered.passed().size())
        .addKeyValue("refused", filtered::reasons)
        .log("filtered");
  }

  private Reply prioritize(byte[] body) {
    return switch (reader.extenderArgs(body)) {
      case ArgsReader.Body.Malformed<ExtenderArgs>(String why) -> Reply.malformed(why);
      case ArgsReader.Body.NoObject<ExtenderArgs>() -> Reply.error(Answers.scores(Map.of()));
      case ArgsReader.Body.Read<ExtenderArgs>(ExtenderArgs args) -> {
        ClusterSnapshot snapshot = view.snapshot();
        Optional<PodFacts> pod = args.pod().flatMap(scanned -> scanned.facts(pods).understood());
        Map<String, Integer> scores =
            pod.map(known -> prioritize.scores(snapshot, known, args.names()))
                .orElseGet(() -> Prioritize.indifferent(args.names()));
        yield Reply.ok(Answers.scores(scores));
      }
    };
  }

  private Reply bind(byte[] body) throws InterruptedException {
    return switch (reader.texts(body)) {
      case ArgsReader.Body.Malformed<Map<String, String>>(String why) -> Reply.malformed(why);
      case ArgsReader.Body.NoObject<Map<String, String>>() ->
          Reply.error(Answers.bind("expected a JSON object"));
      case ArgsReader.Body.Read<Map<String, String>>(Map<String, String> texts) -> {
        Optional<BindRequest> request = bindRequest(texts);
        if (request.isEmpty()) {
          yield Reply.error(Answers.bind("expected PodName, PodNamespace, PodUID and Node"));
        }
        yield bind(request.get());
      }
    };
  }

  private static Optional<BindRequest> bindRequest(Map<String, String> texts) {
    String namespace = texts.getOrDefault("podnamespace", "");
    String name = texts.getOrDefault("podname", "");
    String uid = texts.getOrDefault("poduid", "");
    String node = texts.getOrDefault("node", "");
    if (namespace.isBlank() || name.isBlank() || uid.isBlank() || node.isBlank()) {
      return Optional.empty();
    }
    return Optional.of(
        new BindRequest(new PodName(namespace, name), new PodUid(uid), new NodeName(node)));
  }

  private Reply bind(BindRequest request) throws InterruptedException {
    long began = time.monotonicNanos();
    BindResult result = bind.bind(request);
    metrics.bound(result);
    long millis = Duration.ofNanos(time.monotonicNanos() - began).toMillis();
    var line =
        log.atInfo()
            .addKeyValue(LogKeys.POD, request.pod())
            .addKeyValue(LogKeys.NODE, request.node());
    return switch (result) {
      case BindResult.Bound(var plan) -> {
        line.addKeyValue(LogKeys.DEVICE, plan.map(known -> known.containers()).orElse(Map.of()))
            .addKeyValue("millis", millis)
            .log("bound");
        yield Reply.ok(Answers.bind(""));
      }
      case BindResult.Failed(BindResult.Failure why) -> {
        line.addKeyValue("why", why.text()).addKeyValue("millis", millis).log("bind failed");
        yield Reply.error(Answers.bind(why.text()));
      }
    };
  }
}
