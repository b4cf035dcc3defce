/** A stand-in for kube-scheduler that speaks its extender protocol. */
@NullMarked
package io.gpumem.extender.http.fake;

import org.jspecify.annotations.NullMarked;
