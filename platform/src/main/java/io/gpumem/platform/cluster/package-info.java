/**
 * The API server: the one room that speaks to it, and the only one that knows its client library.
 */
@NullMarked
package io.gpumem.platform.cluster;

import org.jspecify.annotations.NullMarked;
