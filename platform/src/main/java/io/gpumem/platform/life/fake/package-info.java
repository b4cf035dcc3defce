/** Faults that tests can read. */
@NullMarked
package io.gpumem.platform.life.fake;

import org.jspecify.annotations.NullMarked;
