package io.gpumem.plugin.kubelet.fake;

/**
 * Is told what the stand-in kubelet would write into the API server. Called on one thread, in
 * order, with no lock held; what it throws is logged and counted and goes no further.
 */
@FunctionalInterface
public interface KubeletListener {
  void on(KubeletEvent event);
}
