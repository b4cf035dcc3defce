/**
 * An API server to stand in for the real one: over HTTP on loopback, strict about what it is asked,
 * with faults on demand. The demo and the tests of both binaries run against it.
 */
@NullMarked
package io.gpumem.platform.cluster.fake;

import org.jspecify.annotations.NullMarked;
