/**
 * A stand-in for the kubelet's side of the device plugin and pod resources interfaces: admission,
 * the table of who holds which device, its checkpoint, its restarts and its known faults, over real
 * unix sockets. It exists so that the plugin can be shown and tested without a node.
 *
 * <p>{@link io.gpumem.plugin.kubelet.fake.StandInKubelet} is the whole thing; {@link
 * io.gpumem.plugin.kubelet.fake.KubeletCore} is its accounting alone, without sockets, threads,
 * files or a clock, for simulations with a plugin in the same process.
 *
 * <p>What it does was taken from the kubelet of Kubernetes 1.34 to 1.37 ({@code
 * pkg/kubelet/cm/devicemanager}, {@code pkg/kubelet/apis/podresources}) with the topology manager's
 * policy {@code none}: its faults are kept on purpose, because the plugin has to live with them.
 */
@NullMarked
package io.gpumem.plugin.kubelet.fake;

import org.jspecify.annotations.NullMarked;
