/** Where a demand may go, and why not. */
@NullMarked
package io.gpumem.core.placement;

import org.jspecify.annotations.NullMarked;
