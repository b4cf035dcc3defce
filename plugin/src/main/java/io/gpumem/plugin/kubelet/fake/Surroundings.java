package io.gpumem.plugin.kubelet.fake;

import java.util.Random;

/** What outlives a kubelet's process: the node's pods and status, and what tests look at. */
record Surroundings(
    KubeletSettings settings,
    PodBook book,
    NodeStatus status,
    EventDispatch events,
    KubeletFaults faults,
    CallLog log,
    ContractChecks checks,
    Findings findings,
    Random random) {}
