package io.gpumem.plugin.kubelet.fake;

/** The kubelets whose difference a plugin can see. */
public enum Release {
  /**
   * 1.34 to 1.36: a plugin connection is known by its resource's name alone. When an old plugin's
   * stream ends after a new one registered, the new one is disconnected (kubernetes#121994).
   */
  V1_36,
  /** 1.37: known by name and socket path. Get of pod resources also shows pods that ended. */
  V1_37
}
