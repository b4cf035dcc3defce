/** Kubernetes objects turned into core's facts. */
@NullMarked
package io.gpumem.platform.facts;

import org.jspecify.annotations.NullMarked;
