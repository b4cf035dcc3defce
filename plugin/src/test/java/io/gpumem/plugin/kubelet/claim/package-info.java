/** Hard problem: whose Allocate is this? A node of two devices, played through by the seed. */
@NullMarked
package io.gpumem.plugin.kubelet.claim;

import org.jspecify.annotations.NullMarked;
