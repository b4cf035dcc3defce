/** The device plugin: its configuration and wiring. */
@NullMarked
package io.gpumem.plugin;

import org.jspecify.annotations.NullMarked;
