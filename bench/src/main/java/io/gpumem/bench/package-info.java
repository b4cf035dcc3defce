/** What the house costs: whole processes and single methods, measured. */
@NullMarked
package io.gpumem.bench;

import org.jspecify.annotations.NullMarked;
