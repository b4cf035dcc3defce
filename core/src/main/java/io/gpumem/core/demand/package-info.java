/** What pods ask: containers, phases, the footprint that Kubernetes itself counts. */
@NullMarked
package io.gpumem.core.demand;

import org.jspecify.annotations.NullMarked;
