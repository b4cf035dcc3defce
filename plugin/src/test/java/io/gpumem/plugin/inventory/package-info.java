@NullMarked
package io.gpumem.plugin.inventory;

import org.jspecify.annotations.NullMarked;
