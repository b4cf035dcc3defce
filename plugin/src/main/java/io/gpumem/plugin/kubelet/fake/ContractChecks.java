package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.Device;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.NUMANode;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a good plugin does although the kubelet would let it pass: each breach becomes a violation.
 * That a plugin refuses an Allocate is no breach, nor that it can't be reached.
 */
final class ContractChecks {
  /** From the comment in the kubelet's api.proto; the kubelet never checks it, others may. */
  private static final int LONGEST_ID = 63;

  private static final Set<String> HEALTHS = Set.of("Healthy", "Unhealthy");
  private static final Set<String> UNREACHABLE = Set.of("", "Unavailable", "Canceled");

  private final Findings findings;

  ContractChecks(Findings findings) {
    this.findings = findings;
  }

  /** A list message, given the IDs that are booked now. */
  void list(String resource, List<Device> devices, Set<String> booked) {
    Set<String> ids = new HashSet<>();
    for (Device device : devices) {
      String id = device.getID();
      if (!ids.add(id)) {
        findings.violation("list of " + resource + ": device " + id + " is listed twice");
      }
      if (id.isEmpty() || id.length() > LONGEST_ID) {
        findings.violation("list of " + resource + ": expected an ID but was \"" + id + "\"");
      }
      if (!HEALTHS.contains(device.getHealth())) {
        findings.violation(
            "list of " + resource + ": expected a health but was \"" + device.getHealth() + "\"");
      }
      if (device.getTopology().getNodesList().stream()
          .mapToLong(NUMANode::getID)
          .anyMatch(n -> n < 0)) {
        findings.violation("list of " + resource + ": a negative NUMA node of " + id);
      }
    }
    Set<String> vanished = new TreeSet<>(booked);
    vanished.removeAll(ids);
    if (!vanished.isEmpty()) {
      findings.violation("list of " + resource + ": allocated devices vanished: " + vanished);
    }
  }

  void preferred(
      PreferredAllocationRequest request, PluginAnswer<PreferredAllocationResponse> answer) {
    switch (answer) {
      case PluginAnswer.Refused<PreferredAllocationResponse>(String code, String text) -> {
        if (!UNREACHABLE.contains(code)) {
          findings.violation("GetPreferredAllocation refused, bookings can leak: " + text);
        }
      }
      case PluginAnswer.Given<PreferredAllocationResponse>(var response) -> {
        if (response.getContainerResponsesCount() != 1) {
          findings.violation(
              "GetPreferredAllocation: expected one response but was "
                  + response.getContainerResponsesCount());
        } else {
          preferred(
              request.getContainerRequests(0),
              response.getContainerResponses(0).getDeviceIDsList());
        }
      }
    }
  }

  private void preferred(ContainerPreferredAllocationRequest request, List<String> ids) {
    Set<String> distinct = new HashSet<>(ids);
    if (ids.size() != request.getAllocationSize() || distinct.size() != ids.size()) {
      findings.violation(
          "GetPreferredAllocation: expected %d distinct devices but was %d, %d distinct"
              .formatted(request.getAllocationSize(), ids.size(), distinct.size()));
    }
    if (!new HashSet<>(request.getAvailableDeviceIDsList()).containsAll(distinct)) {
      findings.violation("GetPreferredAllocation: chose devices that are not available");
    }
    if (!distinct.containsAll(request.getMustIncludeDeviceIDsList())) {
      findings.violation("GetPreferredAllocation: left out devices that must be included");
    }
  }

  void allocate(PluginAnswer<AllocateResponse> answer) {
    if (answer instanceof PluginAnswer.Given<AllocateResponse>(var response)
        && response.getContainerResponsesCount() != 1) {
      findings.violation(
          "Allocate: expected one response but was " + response.getContainerResponsesCount());
    }
  }

  /** Older kubelets read the options of the request, current ones call for them. */
  void options(DevicePluginOptions inRequest, DevicePluginOptions byCall) {
    if (!inRequest.equals(byCall)) {
      findings.violation("Register told other options than GetDevicePluginOptions");
    }
  }
}
