/** The story that the demonstration tells, and how it is told. */
@NullMarked
package io.gpumem.demo.scenario;

import org.jspecify.annotations.NullMarked;
