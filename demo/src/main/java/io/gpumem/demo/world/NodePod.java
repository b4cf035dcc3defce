package io.gpumem.demo.world;

import io.gpumem.plugin.kubelet.fake.KubeletPod;

/**
 * A pod of one node as its kubelet sees it.
 *
 * @param deleting whether somebody asked for its end
 */
public record NodePod(KubeletPod pod, boolean deleting) {}
