/** Tests of the simulation, and what it says of the system. */
@NullMarked
package io.gpumem.demo.simulation;

import org.jspecify.annotations.NullMarked;
