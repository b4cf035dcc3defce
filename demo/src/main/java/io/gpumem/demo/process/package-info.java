/** The processes of ours that the demonstration starts, watches and ends. */
@NullMarked
package io.gpumem.demo.process;

import org.jspecify.annotations.NullMarked;
