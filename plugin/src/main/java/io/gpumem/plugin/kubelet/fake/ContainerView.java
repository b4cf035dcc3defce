package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.CDIDevice;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.DeviceSpec;
import io.gpumem.proto.deviceplugin.v1beta1.Mount;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the device plugins add to a container when it starts: environment (which the pod's own spec
 * can override on a real node), mounts, device nodes, runtime annotations and CDI device names.
 */
public record ContainerView(
    String container,
    SortedMap<String, String> envs,
    List<Mount> mounts,
    List<DeviceSpec> devices,
    SortedMap<String, String> annotations,
    List<String> cdiDevices) {

  public ContainerView {
    envs = Collections.unmodifiableSortedMap(new TreeMap<>(envs));
    mounts = List.copyOf(mounts);
    devices = List.copyOf(devices);
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
    cdiDevices = List.copyOf(cdiDevices);
  }

  /**
   * The answers of several resources in one view. Of two entries with one key, path or name the
   * first stays, as in the kubelet, whose order of resources is random.
   */
  static ContainerView merged(String container, List<ContainerAllocateResponse> answers) {
    SortedMap<String, String> envs = new TreeMap<>();
    SortedMap<String, String> annotations = new TreeMap<>();
    Map<String, Mount> mounts = new LinkedHashMap<>();
    Map<String, DeviceSpec> devices = new LinkedHashMap<>();
    Set<String> cdiDevices = new LinkedHashSet<>();
    for (ContainerAllocateResponse answer : answers) {
      answer.getEnvsMap().forEach(envs::putIfAbsent);
      answer.getAnnotationsMap().forEach(annotations::putIfAbsent);
      answer.getMountsList().forEach(mount -> mounts.putIfAbsent(mount.getContainerPath(), mount));
      answer.getDevicesList().forEach(spec -> devices.putIfAbsent(spec.getContainerPath(), spec));
      answer.getCdiDevicesList().stream().map(CDIDevice::getName).forEach(cdiDevices::add);
    }
    return new ContainerView(
        container,
        envs,
        List.copyOf(mounts.values()),
        List.copyOf(devices.values()),
        annotations,
        List.copyOf(cdiDevices));
  }
}
