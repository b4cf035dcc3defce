/** Structured log lines behind slf4j: one event, one line. */
@NullMarked
package io.gpumem.platform.log;

import org.jspecify.annotations.NullMarked;
