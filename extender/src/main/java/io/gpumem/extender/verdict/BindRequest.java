package io.gpumem.extender.verdict;

import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;

/** The scheduler's wish to have a pod bound to a node. */
public record BindRequest(PodName pod, PodUid uid, NodeName node) {}
