@NullMarked
package io.gpumem.plugin.allocate;

import org.jspecify.annotations.NullMarked;
