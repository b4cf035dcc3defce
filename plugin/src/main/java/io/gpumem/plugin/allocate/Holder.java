package io.gpumem.plugin.allocate;

import io.gpumem.core.units.PodName;
import java.util.Optional;

/**
 * Who was last known to hold some device IDs.
 *
 * @param pod empty where only our own answer to Allocate is known, which has no pod in it
 */
record Holder(Optional<PodName> pod, UnitSet ids) {}
