/** The configuration: flags over environment over defaults, checked before anything starts. */
@NullMarked
package io.gpumem.platform.options;

import org.jspecify.annotations.NullMarked;
