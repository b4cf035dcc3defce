/** The scheduler's extender: it knows devices where the scheduler knows only sums. */
@NullMarked
package io.gpumem.extender;

import org.jspecify.annotations.NullMarked;
