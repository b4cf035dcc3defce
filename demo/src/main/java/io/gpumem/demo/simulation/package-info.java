/** The whole system in memory, from one seed: one thread, a clock of its own, faults, and rules. */
@NullMarked
package io.gpumem.demo.simulation;

import org.jspecify.annotations.NullMarked;
