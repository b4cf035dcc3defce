package io.gpumem.extender.http;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.extender.verdict.Explanation.OnDevice;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/** How a device is written wherever people read it. */
final class DeviceJson {

  private DeviceJson() {}

  static void write(List<OnDevice> devices, boolean withWanted, JsonGenerator out) {
    out.writeStartArray();
    for (OnDevice each : devices) {
      out.writeStartObject();
      device(each.device(), out);
      if (withWanted) {
        out.writeBooleanProperty("wanted", each.wanted());
      }
      out.writeBooleanProperty("cordoned", each.cordoned());
      out.writeNumberProperty("used", each.used());
      out.writeNumberProperty("allocated", each.allocated());
      out.writeNumberProperty("reserved", each.reserved());
      out.writeNumberProperty("surplus", each.surplus());
      out.writeNumberProperty("free", each.free());
      out.writeEndObject();
    }
    out.writeEndArray();
  }

  private static void device(Device device, JsonGenerator out) {
    out.writeStringProperty("id", device.uuid().text());
    out.writeNumberProperty("index", device.index());
    out.writeStringProperty("model", device.model());
    device
        .mig()
        .ifPresent(
            mig -> {
              out.writeStringProperty("parent", mig.parent().text());
              out.writeStringProperty("profile", mig.profile());
            });
    out.writeNumberProperty("units", device.units());
    switch (device.health()) {
      case Health.Healthy() -> out.writeStringProperty("health", "Healthy");
      case Health.Unhealthy(String why) -> {
        out.writeStringProperty("health", "Unhealthy");
        out.writeStringProperty("why", why);
      }
    }
  }

  /** Devices to units. */
  static void amounts(Map<DeviceUuid, Long> amounts, JsonGenerator out) {
    out.writeStartObject();
    amounts.forEach((device, units) -> out.writeNumberProperty(device.text(), units));
    out.writeEndObject();
  }

  /** Containers to devices to units. */
  static void containers(Map<String, Map<DeviceUuid, Long>> containers, JsonGenerator out) {
    out.writeStartObject();
    containers.forEach(
        (container, amounts) -> {
          out.writeName(container);
          amounts(amounts, out);
        });
    out.writeEndObject();
  }
}
