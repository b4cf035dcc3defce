/** What was seen of the world, as plain values: pods, nodes, plans and allocations. */
@NullMarked
package io.gpumem.core.facts;

import org.jspecify.annotations.NullMarked;
