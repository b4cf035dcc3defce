/** The answers to the scheduler's questions, computed from one snapshot each. */
@NullMarked
package io.gpumem.extender.verdict;

import org.jspecify.annotations.NullMarked;
