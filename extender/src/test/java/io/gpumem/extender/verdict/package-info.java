/** Tests. */
@NullMarked
package io.gpumem.extender.verdict;

import org.jspecify.annotations.NullMarked;
