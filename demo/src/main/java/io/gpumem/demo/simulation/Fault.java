package io.gpumem.demo.simulation;

/** What can go wrong in a world. A seed draws some of them. */
enum Fault {
  PLUGIN_KILL(false),
  KUBELET_RESTART(false),
  LOST_CHECKPOINT(false),
  EXTENDER_KILL(false),
  KILL_AT_WRITE(false),
  LATE_WATCH(false),
  CUT_WATCH(false),
  REPEATED_EVENTS(true),
  DISORDER(true),
  API_AWAY(false),
  LOST_WRITES(true),
  BYPASS(false),
  FORGED_POD(false),
  FORGED_NODE(false),
  DEVICE(false),
  CORDON(true),
  NVML_HANG(true),
  STRANGER_LIST(false),
  FORCE_DELETE(true),
  TABLE_UNREADABLE(false),
  SECOND_EXTENDER(false);

  private final boolean harmless;

  Fault(boolean harmless) {
    this.harmless = harmless;
  }

  /** Whether no pod may be refused at admission, however often this happens. */
  boolean isHarmless() {
    return harmless;
  }
}
