/** The shipped programs as processes, and what the kernel says of them. */
@NullMarked
package io.gpumem.bench.process;

import org.jspecify.annotations.NullMarked;
