/** From what NVML shows to what is sold: units, health over time, the nodes under /dev. */
@NullMarked
package io.gpumem.plugin.inventory;

import org.jspecify.annotations.NullMarked;
