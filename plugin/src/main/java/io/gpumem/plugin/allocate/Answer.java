package io.gpumem.plugin.allocate;

/** Device IDs that we answered to Allocate, and that the kubelet's table has not shown yet. */
record Answer(UnitSet ids, long atNanos) {}
