/** What is not ours and is played here: API server, kubelets, kube-scheduler, controllers. */
@NullMarked
package io.gpumem.demo.world;

import org.jspecify.annotations.NullMarked;
