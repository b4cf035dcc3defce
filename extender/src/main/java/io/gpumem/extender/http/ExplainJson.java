package io.gpumem.extender.http;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.placement.Refusal;
import io.gpumem.core.placement.Verdict;
import io.gpumem.extender.verdict.Explanation;
import io.gpumem.extender.verdict.Explanation.OnNode;
import io.gpumem.extender.view.Assumption;
import io.gpumem.extender.view.ClusterSnapshot;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/** The answer of {@code /api/v1/explain}. */
final class ExplainJson {

  private static final int VERSION = 1;

  private ExplainJson() {}

  static byte[] write(Explanation explanation, ClusterSnapshot snapshot) {
    return Answers.write(
        out -> {
          out.writeStartObject();
          out.writeNumberProperty("v", VERSION);
          out.writeNumberProperty("generation", snapshot.generation());
          pod(explanation, snapshot, out);
          out.writeName("nodes");
          out.writeStartArray();
          explanation.nodes().forEach(node -> node(node, out));
          out.writeEndArray();
          out.writeEndObject();
        });
  }

  private static void pod(Explanation explanation, ClusterSnapshot snapshot, JsonGenerator out) {
    PodFacts pod = explanation.pod();
    out.writeStringProperty("pod", pod.name().toString());
    out.writeStringProperty("uid", pod.uid().text());
    pod.node().ifPresent(node -> out.writeStringProperty("node", node.text()));
    pod.nominated().ifPresent(node -> out.writeStringProperty("nominatedNode", node.text()));
    out.writeNumberProperty("priority", pod.priority());
    explanation.policy().ifPresent(policy -> out.writeStringProperty("policy", policy.toString()));
    pod.wish().problem().ifPresent(why -> out.writeStringProperty("problem", why));
    out.writeNumberProperty("request", pod.demand().footprint());
    out.writeName("containers");
    out.writeStartArray();
    pod.demand().containers().forEach(each -> container(each, out));
    out.writeEndArray();
    pod.reservation().understood().ifPresent(plan -> reservation(plan, out));
    out.writeName("assumed");
    out.writeStartArray();
    snapshot.assumptions(pod.uid()).forEach(each -> assumption(each, out));
    out.writeEndArray();
  }

  private static void container(ContainerDemand container, JsonGenerator out) {
    out.writeStartObject();
    out.writeStringProperty("name", container.container());
    out.writeStringProperty("phase", container.phase().name().toLowerCase(Locale.ROOT));
    out.writeNumberProperty("units", container.units());
    out.writeEndObject();
  }

  private static void reservation(Reservation plan, JsonGenerator out) {
    out.writeName("reservation");
    out.writeStartObject();
    out.writeStringProperty("node", plan.node().text());
    out.writeName("containers");
    DeviceJson.containers(plan.containers(), out);
    out.writeEndObject();
  }

  private static void assumption(Assumption assumption, JsonGenerator out) {
    out.writeStartObject();
    out.writeStringProperty("node", assumption.node().text());
    out.writeStringProperty("state", assumption.state().name().toLowerCase(Locale.ROOT));
    out.writeEndObject();
  }

  private static void node(OnNode node, JsonGenerator out) {
    out.writeStartObject();
    out.writeStringProperty("name", node.node().text());
    out.writeBooleanProperty("ready", node.ready());
    switch (node.verdict()) {
      case Verdict.Fits fits -> {
        out.writeBooleanProperty("fits", true);
        out.writeName("place");
        DeviceJson.containers(fits.containers(), out);
      }
      case Verdict.Refused(Refusal why) -> {
        out.writeBooleanProperty("fits", false);
        out.writeStringProperty("refusal", why.name().toLowerCase(Locale.ROOT));
        out.writeStringProperty("reason", why.text());
      }
    }
    node.remedy().ifPresent(text -> out.writeStringProperty("remedy", text));
    out.writeNumberProperty("largestFree", node.largestFree());
    out.writeNumberProperty("largestDevice", node.largestDevice());
    out.writeNumberProperty("free", node.free());
    out.writeNumberProperty("unplaced", node.unplaced());
    out.writeName("devices");
    DeviceJson.write(node.devices(), true, out);
    out.writeEndObject();
  }
}
