/** Samples, percentiles and the tables that they are printed in. */
@NullMarked
package io.gpumem.bench.figures;

import org.jspecify.annotations.NullMarked;
