/**
 * One call of the kubelet: whose it is likely to be, which units it gets, what the container sees.
 */
@NullMarked
package io.gpumem.plugin.allocate;

import org.jspecify.annotations.NullMarked;
