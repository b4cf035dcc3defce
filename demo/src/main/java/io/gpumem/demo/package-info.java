/** The demonstration: the real binaries as processes, on simulated GPUs, in one terminal. */
@NullMarked
package io.gpumem.demo;

import org.jspecify.annotations.NullMarked;
