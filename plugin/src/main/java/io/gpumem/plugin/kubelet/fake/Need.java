package io.gpumem.plugin.kubelet.fake;

/** So many devices of one resource for one container. */
record Need(String podUid, String container, String resource, int units) {}
