/** The callers: closed loops that time each answer. */
@NullMarked
package io.gpumem.bench.load;

import org.jspecify.annotations.NullMarked;
