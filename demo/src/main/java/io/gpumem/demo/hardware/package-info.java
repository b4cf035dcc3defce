/** The plugin on a real NVIDIA machine, with a kubelet and an API server that are played. */
@NullMarked
package io.gpumem.demo.hardware;

import org.jspecify.annotations.NullMarked;
