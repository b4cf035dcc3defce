/** What a node has: devices, their memory in units, their health. */
@NullMarked
package io.gpumem.core.inventory;

import org.jspecify.annotations.NullMarked;
