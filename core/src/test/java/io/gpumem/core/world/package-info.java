/** Worlds for tests: a few written by hand, many made by chance from a seed. */
@NullMarked
package io.gpumem.core.world;

import org.jspecify.annotations.NullMarked;
