/** Clocks and timers, handed to constructors so that tests own them. */
@NullMarked
package io.gpumem.platform.time;

import org.jspecify.annotations.NullMarked;
