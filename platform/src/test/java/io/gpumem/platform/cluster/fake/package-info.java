@NullMarked
package io.gpumem.platform.cluster.fake;

import org.jspecify.annotations.NullMarked;
