/** Whether what was published is what the kubelets gave. */
@NullMarked
package io.gpumem.demo.audit;

import org.jspecify.annotations.NullMarked;
