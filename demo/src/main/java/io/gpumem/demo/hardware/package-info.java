/** The plugin on a machine with real GPUs, under a played kubelet: what it finds, what it gives. */
@NullMarked
package io.gpumem.demo.hardware;

import org.jspecify.annotations.NullMarked;
