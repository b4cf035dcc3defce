/** Made-up clusters and nodes to be measured on. */
@NullMarked
package io.gpumem.bench.world;

import org.jspecify.annotations.NullMarked;
