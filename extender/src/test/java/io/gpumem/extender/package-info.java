/** Tests. */
@NullMarked
package io.gpumem.extender;

import org.jspecify.annotations.NullMarked;
