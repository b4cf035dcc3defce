package io.gpumem.plugin.allocate;

/**
 * Device IDs that we answered to Allocate, and that the kubelet's table has not shown yet.
 *
 * @param orphan whether a pod that it can have been for has ended since
 */
record Answer(UnitSet ids, long atNanos, boolean orphan) {

  Answer(UnitSet ids, long atNanos) {
    this(ids, atNanos, false);
  }
}
