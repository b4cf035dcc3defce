/** Tests. */
@NullMarked
package io.gpumem.extender.http.fake;

import org.jspecify.annotations.NullMarked;
