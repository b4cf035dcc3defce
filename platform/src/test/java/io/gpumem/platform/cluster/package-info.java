@NullMarked
package io.gpumem.platform.cluster;

import org.jspecify.annotations.NullMarked;
