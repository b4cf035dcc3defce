/** Tests. */
@NullMarked
package io.gpumem.platform.fuzz.fake;

import org.jspecify.annotations.NullMarked;
