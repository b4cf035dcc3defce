/** Tests. */
@NullMarked
package io.gpumem.platform.facts;

import org.jspecify.annotations.NullMarked;
