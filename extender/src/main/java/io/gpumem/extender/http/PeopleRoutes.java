package io.gpumem.extender.http;

import io.gpumem.core.units.PodName;
import io.gpumem.extender.verdict.Explain;
import io.gpumem.extender.verdict.Explanation;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.extender.view.ClusterView;
import io.gpumem.platform.time.Time;
import io.gpumem.platform.web.Request;
import io.gpumem.platform.web.Response;
import io.gpumem.platform.web.Routes;
import java.util.Optional;

/**
 * What people and the command line ask: every node with its devices, and why a pod is where it is.
 * It answers 503 until the caches are synced, since half a list would be believed.
 */
public final class PeopleRoutes {

  private final ClusterView view;
  private final Explain explain;
  private final Time time;

  public PeopleRoutes(ClusterView view, Explain explain, Time time) {
    this.view = view;
    this.explain = explain;
    this.time = time;
  }

  public Routes routes() {
    return Routes.none()
        .exact("GET", "/api/v1/nodes", request -> nodes())
        .exact("GET", "/api/v1/explain", this::explain);
  }

  private Response nodes() {
    return view.isComplete() ? Response.json(200, NodesJson.write(view.snapshot())) : notReady();
  }

  private Response explain(Request request) {
    Optional<PodName> name =
        Optional.ofNullable(request.query().get("pod")).flatMap(PodName::parse);
    if (!view.isComplete()) {
      return notReady();
    }
    if (name.isEmpty()) {
      return Response.error(400, "expected ?pod=namespace/name");
    }
    ClusterSnapshot snapshot = view.snapshot();
    Optional<Explanation> explanation =
        explain.explain(snapshot, name.get(), time.monotonicNanos());
    return explanation
        .map(known -> Response.json(200, ExplainJson.write(known, snapshot)))
        .orElseGet(
            () ->
                Response.error(404, "no such pod, or it asks for no GPU memory, or it has ended"));
  }

  private static Response notReady() {
    return Response.error(503, "the caches are not synced yet").closing();
  }
}
