package io.gpumem.platform.log;

/** The keys of the log's fields that mean the same everywhere, so that a search finds them all. */
public final class LogKeys {

  /** A pod, as {@code namespace/name}. */
  public static final String POD = "pod";

  /** A node's name. */
  public static final String NODE = "node";

  /** A device's UUID, of a GPU or of a MIG device. */
  public static final String DEVICE = "device";

  /** A part of the process, by the name under which {@code Life} started it. */
  public static final String PART = "part";

  private LogKeys() {}
}
