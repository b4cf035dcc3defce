/** Prometheus metrics; the only package that names the Prometheus library. */
@NullMarked
package io.gpumem.platform.metrics;

import org.jspecify.annotations.NullMarked;
