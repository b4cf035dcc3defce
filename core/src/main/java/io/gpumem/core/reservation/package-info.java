/** Which requests are alike, and where a plan goes when the kubelet swapped two of them. */
@NullMarked
package io.gpumem.core.reservation;

import org.jspecify.annotations.NullMarked;
