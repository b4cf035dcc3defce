/** The training runs from which the ahead-of-time caches are made. */
@NullMarked
package io.gpumem.bench.rehearsal;

import org.jspecify.annotations.NullMarked;
