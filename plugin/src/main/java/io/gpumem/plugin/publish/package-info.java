/** The node's annotations and labels: what is published, when, and what happens to forgeries. */
@NullMarked
package io.gpumem.plugin.publish;

import org.jspecify.annotations.NullMarked;
