package io.gpumem.core.demand;

/** When in a pod's life a container runs. */
public enum Phase {
  /** An ordinary init container: it has ended before the next container starts. */
  INIT,
  /** An init container with {@code restartPolicy: Always}: it runs beside all that follows. */
  SIDECAR,
  /** A container of the pod's main phase. */
  APP
}
