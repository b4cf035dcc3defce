/** How it is written: annotations, labels and device IDs. Golden files are its documentation. */
@NullMarked
package io.gpumem.core.wire;

import org.jspecify.annotations.NullMarked;
