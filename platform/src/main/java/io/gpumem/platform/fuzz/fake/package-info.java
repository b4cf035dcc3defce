/** Damages valid inputs by a seed, and plays long series of such runs that can be replayed. */
@NullMarked
package io.gpumem.platform.fuzz.fake;

import org.jspecify.annotations.NullMarked;
