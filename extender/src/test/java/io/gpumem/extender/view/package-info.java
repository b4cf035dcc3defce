/** Tests. */
@NullMarked
package io.gpumem.extender.view;

import org.jspecify.annotations.NullMarked;
