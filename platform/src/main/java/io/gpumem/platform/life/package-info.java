/** The beginning and the end of a process: its parts, its faults, its exit code. */
@NullMarked
package io.gpumem.platform.life;

import org.jspecify.annotations.NullMarked;
