/** Time that moves only when a test says so. */
@NullMarked
package io.gpumem.platform.time.fake;

import org.jspecify.annotations.NullMarked;
