package io.gpumem.core.wire;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The pod annotation {@code <resource>.reservation}, written in the Binding by the extender. */
public final class ReservationCodec {

  private ReservationCodec() {}

  public static String encode(Reservation reservation) {
    Map<String, Json> fields = Versioned.fields();
    fields.put("uid", new Json.Text(reservation.uid().text()));
    fields.put("node", new Json.Text(reservation.node().text()));
    DeviceChoice choice = reservation.choice();
    if (choice.devices() != 1) {
      fields.put("devices", Versioned.number(choice.devices()));
    }
    if (!choice.models().isEmpty()) {
      List<Json> models = choice.models().stream().<Json>map(Json.Text::new).toList();
      fields.put("models", new Json.Arr(models));
    }
    fields.put("containers", Versioned.containers(reservation.containers()));
    return Json.write(new Json.Obj(fields));
  }

  /** Reads the annotation; anybody who may edit the pod may have written it. */
  public static Decoded<Reservation> decode(Optional<String> text) {
    return Versioned.decode(
        text,
        fields ->
            new Reservation(
                new PodUid(Versioned.required(fields, "uid")),
                new NodeName(Versioned.required(fields, "node")),
                new DeviceChoice(devices(fields), models(fields)),
                Versioned.readContainers(fields.object("containers"))));
  }

  private static int devices(Json.Obj fields) throws Json.Malformed {
    long devices = fields.whole("devices").orElse(fields.get("devices").isPresent() ? 0 : 1);
    if (devices < 1 || devices > WishCodec.MOST_DEVICES) {
      throw new Json.Malformed("expected a number of devices under \"devices\"");
    }
    return (int) devices;
  }

  private static Set<String> models(Json.Obj fields) throws Json.Malformed {
    Set<String> models = new LinkedHashSet<>();
    for (Json model : fields.arrayIfAny("models")) {
      if (!(model instanceof Json.Text(String name))) {
        throw new Json.Malformed("expected texts under \"models\"");
      }
      models.add(name);
    }
    return models;
  }
}
