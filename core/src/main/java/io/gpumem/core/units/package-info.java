/** Amounts and names: the values that everything else is written in. */
@NullMarked
package io.gpumem.core.units;

import org.jspecify.annotations.NullMarked;
