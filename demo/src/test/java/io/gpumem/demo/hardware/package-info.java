/** Tests of what needs neither GPU nor root in looking at a machine with GPUs. */
@NullMarked
package io.gpumem.demo.hardware;

import org.jspecify.annotations.NullMarked;
