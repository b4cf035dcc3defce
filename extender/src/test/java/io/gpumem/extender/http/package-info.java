/** Tests. */
@NullMarked
package io.gpumem.extender.http;

import org.jspecify.annotations.NullMarked;
