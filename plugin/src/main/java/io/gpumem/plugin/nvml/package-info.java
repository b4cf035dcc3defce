/** The edge to the hardware: what GPUs this node has, read through NVML or simulated. */
@NullMarked
package io.gpumem.plugin.nvml;

import org.jspecify.annotations.NullMarked;
