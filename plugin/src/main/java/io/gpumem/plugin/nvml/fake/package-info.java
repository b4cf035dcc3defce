/** Simulated GPUs: a machine described by a file, for clusters and tests without hardware. */
@NullMarked
package io.gpumem.plugin.nvml.fake;

import org.jspecify.annotations.NullMarked;
