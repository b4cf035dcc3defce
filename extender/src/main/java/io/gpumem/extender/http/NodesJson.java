package io.gpumem.extender.http;

import io.gpumem.core.ledger.Discrepancy;
import io.gpumem.core.ledger.Holding;
import io.gpumem.extender.verdict.Explain;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.extender.view.NodeView;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/** The answer of {@code /api/v1/nodes}: every node with a plugin, its devices and its holders. */
final class NodesJson {

  private static final int VERSION = 1;

  private NodesJson() {}

  static byte[] write(ClusterSnapshot snapshot) {
    List<NodeView> nodes =
        snapshot.nodes().stream().sorted(Comparator.comparing(NodeView::name)).toList();
    return Answers.write(
        out -> {
          out.writeStartObject();
          out.writeNumberProperty("v", VERSION);
          out.writeNumberProperty("generation", snapshot.generation());
          out.writeName("nodes");
          out.writeStartArray();
          nodes.forEach(node -> node(node, out));
          out.writeEndArray();
          out.writeEndObject();
        });
  }

  private static void node(NodeView node, JsonGenerator out) {
    out.writeStartObject();
    out.writeStringProperty("name", node.name().text());
    out.writeBooleanProperty("ready", node.facts().ready());
    out.writeStringProperty("unit", node.facts().inventory().unit().toString());
    out.writeNumberProperty("unplaced", node.ledger().unplaced());
    out.writeName("devices");
    DeviceJson.write(Explain.devices(node), false, out);
    out.writeName("holders");
    out.writeStartArray();
    node.ledger().holdings().stream()
        .sorted(Comparator.comparing(Holding::name).thenComparing(Holding::holder))
        .forEach(holding -> holder(holding, out));
    out.writeEndArray();
    out.writeName("discrepancies");
    out.writeStartArray();
    node.books().discrepancies().forEach(each -> discrepancy(each, out));
    out.writeEndArray();
    out.writeEndObject();
  }

  private static void holder(Holding holding, JsonGenerator out) {
    out.writeStartObject();
    out.writeStringProperty("pod", holding.name().toString());
    holding.uid().ifPresent(uid -> out.writeStringProperty("uid", uid.text()));
    out.writeName("allocated");
    DeviceJson.amounts(holding.allocated(), out);
    out.writeName("reserved");
    DeviceJson.amounts(holding.reserved(), out);
    out.writeName("surplus");
    DeviceJson.amounts(holding.surplus(), out);
    out.writeNumberProperty("unplaced", holding.unplaced());
    out.writeEndObject();
  }

  private static void discrepancy(Discrepancy found, JsonGenerator out) {
    out.writeStartObject();
    out.writeStringProperty("kind", found.kind().name().toLowerCase(Locale.ROOT));
    out.writeStringProperty("subject", found.subject());
    out.writeEndObject();
  }
}
