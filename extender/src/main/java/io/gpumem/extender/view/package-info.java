/** What the extender knows of the cluster: one writer, immutable snapshots, readers never lock. */
@NullMarked
package io.gpumem.extender.view;

import org.jspecify.annotations.NullMarked;
